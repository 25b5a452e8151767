import { assertEquals, assertGreater } from "@std/assert";
import {
  createMemorySessionStore,
  type SessionStore,
  userSessions,
} from "@gatehouse/web/session";
import { Browser, Server } from "../session/_browser.ts";
import { findProgram, startPostgres, startRedis } from "../deno/_servers.ts";
import { openStore } from "../deno/_session_stores.ts";

const redis = findProgram("redis-server", "endAll() on Redis");
const postgres = findProgram("postgres", "endAll() on PostgreSQL");

/** The number of sessions, and the most times that each rotates. */
const SESSIONS = 20;
const ROTATIONS = 300;

Deno.test("userSessions().endAll() ends sessions whose ids change at the same time (memory)", async () => {
  await endRotating(createMemorySessionStore());
});

Deno.test("userSessions().endAll() ends sessions whose ids change at the same time (SQLite)", async () => {
  const { store, close } = await openStore("sqlite", ":memory:");
  try {
    await endRotating(store);
  } finally {
    await close();
  }
});

for (
  const [kind, what, program, start] of [
    ["redis", "Redis", redis, startRedis],
    ["postgres", "PostgreSQL", postgres, startPostgres],
  ] as const
) {
  Deno.test({
    name:
      `userSessions().endAll() ends sessions whose ids change at the same time (${what})`,
    ignore: program === null,
    fn: async () => {
      const server = await start(program!);
      const { store, close } = await openStore(kind, server.port);
      try {
        await endRotating(store);
      } finally {
        await close();
        await server.stop();
      }
    },
  });
}

/** Ends sessions that constantly change their ids. */
async function endRotating(store: SessionStore): Promise<void> {
  const server = new Server({ store });
  const logIn = async () => {
    const browser = new Browser(server);
    await browser.visit((session) => session.set("userId", 7));
    return browser;
  };
  const owner = await logIn();
  const thieves = await Promise.all(
    Array.from({ length: SESSIONS }, () => logIn()),
  );
  let rotations = 0;
  const begun = Promise.withResolvers<void>();
  const rotating = thieves.map(async (thief) => {
    let isIn = true;
    for (let count = 0; isIn && count < ROTATIONS; count++) {
      await thief.visit((session) => {
        isIn = session.userId !== undefined;
        if (isIn) session.regenerateId();
      });
      if (++rotations === 2 * SESSIONS) begun.resolve();
    }
  });
  await begun.promise;
  await owner.visit((session, context) =>
    userSessions(context).endAll({ userId: 7, except: session.id })
  );
  const left = await store.byIndex!("user:7");
  await Promise.all(rotating);
  const survivors = await Promise.all(
    thieves.map((thief) => thief.visit((session) => session.userId)),
  );
  assertEquals(survivors.filter((userId) => userId !== undefined), []);
  assertEquals(await owner.visit((session) => session.userId), 7);
  assertEquals((await store.byIndex!("user:7")).length, 1);
  // The ids must have changed during endAll(), or the test would be void.
  assertGreater(SESSIONS * ROTATIONS, rotations);
  assertGreater(left.length, 0);
}
