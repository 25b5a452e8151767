import { assertEquals, assertRejects, assertStringIncludes } from "@std/assert";
import { Redis } from "npm:ioredis@6.0.0";
import { Redis as Valkey } from "npm:iovalkey@0.4.0";
import { createClient } from "npm:redis@5.12.1";
import { endUserSessions } from "@gatehouse/web/session";
import {
  createRedisSessionStore,
  type RedisCommand,
} from "@gatehouse/web/session/redis";
import { Browser, Server } from "../session/_browser.ts";
import { findProgram, startRedis } from "../deno/_servers.ts";

const redis = findProgram("redis-server", "the keys of Redis");

const LOGGED_IN = { ttl: 60_000, ifVersion: null, index: ["user:7"] };

const prefixing: [
  client: string,
  (port: number) => [RedisCommand, () => void],
][] = [
  ["npm:ioredis", (port) => {
    const client = new Redis(port, { keyPrefix: "app:" });
    const send: RedisCommand = (name, args) => client.call(name, ...args);
    return [send, () => client.disconnect()];
  }],
  ["npm:iovalkey", (port) => {
    const client = new Valkey(port, { keyPrefix: "app:" });
    // It adds no prefix to the keys of a command in capitals.
    const send: RedisCommand = (name, args) =>
      client.call(name.toLowerCase(), ...args);
    return [send, () => client.disconnect()];
  }],
];

for (const [client, connect] of prefixing) {
  testRedis(
    `endUserSessions() logs a thief out although ${client} adds a keyPrefix`,
    [],
    async (port) => {
      const [send, disconnect] = connect(port);
      try {
        const store = createRedisSessionStore(send);
        const browser = new Browser(new Server({ store }));
        await browser.visit((session) => session.set("userId", 7));
        const stolen = browser.copy();
        assertEquals((await store.byIndex!("user:7")).length, 1);
        assertEquals(
          (await store.keys!()).keys,
          await store.byIndex!("user:7"),
        );

        assertEquals(await endUserSessions(store, 7), 1);
        assertEquals(
          await stolen.visit((session) => session.userId),
          undefined,
        );
      } finally {
        disconnect();
      }
    },
  );
}

const wrappers: [what: string, prefix: number[]][] = [
  ["only the first key of a script", [2]],
  ["only the second key of a script", [3]],
];

for (const [what, positions] of wrappers) {
  testRedis(
    `createRedisSessionStore() refuses a function that renames ${what}`,
    [],
    (port) =>
      withClient(port, async (send) => {
        const store = createRedisSessionStore((command, args) => {
          const renamed = args.map((arg, index) =>
            command === "EVAL" && Number(args[1]) > index - 2 &&
              positions.includes(index)
              ? `app:${arg}`
              : arg
          );
          return send(command, renamed);
        });
        await assertRefuses(store, "renames");
        assertEquals(await send("DBSIZE", []), 0);
      }),
  );
}

testRedis(
  "createRedisSessionStore() refuses a cluster that spreads its keys over slots",
  ["--cluster-enabled", "yes"],
  (port) =>
    withClient(port, async (send) => {
      await send("CLUSTER", ["ADDSLOTSRANGE", "0", "16383"]);
      while (!String(await send("CLUSTER", ["INFO"])).includes("state:ok"));
      const store = createRedisSessionStore(send);
      await assertRefuses(store, 'a prefix such as "{sessions}:"');
      assertEquals(await send("DBSIZE", []), 0);

      const tagged = createRedisSessionStore(send, { prefix: "{sessions}:" });
      assertEquals(await tagged.put("key", "value", LOGGED_IN), true);
      assertEquals(await tagged.byIndex!("user:7"), ["key"]);
      await tagged.delete("key");
      assertEquals(await tagged.byIndex!("user:7"), []);
    }),
);

testRedis(
  "createRedisSessionStore() tries again if Redis failed at the first use",
  [],
  (port) =>
    withClient(port, async (send) => {
      let isDown = true;
      const store = createRedisSessionStore((command, args) => {
        if (isDown) throw new Error("The socket closed");
        return send(command, args);
      });
      await assertRejects(
        async () => await store.put("key", "value", LOGGED_IN),
        Error,
        "The socket closed",
      );
      isDown = false;
      assertEquals(await store.put("key", "value", LOGGED_IN), true);
    }),
);

testRedis(
  "createRedisSessionStore() moves a value from some index names to others",
  [],
  (port) =>
    withClient(port, async (send) => {
      const store = createRedisSessionStore(send);
      const put = async (version: string | null, ...index: string[]) =>
        assertEquals(
          await store.put("key", "v", {
            ...LOGGED_IN,
            ifVersion: version,
            index,
          }),
          true,
        );
      const found = async () =>
        await Promise.all(["a", "b", "c"].map(async (name) =>
          (await store.byIndex!(name)).length
        ));
      const version = async () =>
        (await store.get("key"))!.version;
      await put(null, "a", "b");
      assertEquals(await found(), [1, 1, 0]);
      await put(await version(), "b", "c");
      assertEquals(await found(), [0, 1, 1]);
      const entry = { key: "key", version: await version() };
      assertEquals(await store.replaceMany!([entry], "", 1_000), ["key"]);
      assertEquals(await found(), [0, 0, 0]);
      await put(await version(), "a");
      assertEquals(await found(), [1, 0, 0]);
      await store.delete("key");
      assertEquals(await found(), [0, 0, 0]);
      assertEquals(await send("DBSIZE", []), 0);
    }),
);

/** Asserts that every method that uses an index refuses with a message. */
async function assertRefuses(
  store: ReturnType<typeof createRedisSessionStore>,
  words: string,
): Promise<void> {
  const uses: (() => unknown)[] = [
    () => store.put("key", "value", LOGGED_IN),
    () => store.put("key", "value", { ...LOGGED_IN, index: [] }),
    () => store.byIndex!("user:7"),
    () => store.delete("key"),
    () => store.keys!(),
  ];
  for (const use of uses) {
    const error = await assertRejects(async () => await use(), TypeError);
    assertStringIncludes(error.message, words);
  }
}

async function withClient(
  port: number,
  use: (send: RedisCommand) => Promise<void>,
): Promise<void> {
  const client = createClient({ url: `redis://127.0.0.1:${port}` });
  await client.connect();
  try {
    await use((command, args) => client.sendCommand([command, ...args]));
  } finally {
    client.destroy();
  }
}

function testRedis(
  name: string,
  options: string[],
  fn: (port: number) => Promise<void>,
): void {
  Deno.test({
    name,
    ignore: redis === null,
    fn: async () => {
      const server = await startRedis(redis!, options);
      try {
        await fn(server.port);
      } finally {
        await server.stop();
      }
    },
  });
}
