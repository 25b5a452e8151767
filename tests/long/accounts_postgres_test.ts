/** The store of accounts on PostgreSQL, from two processes' pools at once. */
import { assertEquals } from "@std/assert";
import connect from "npm:postgres@3.4.7";
import {
  type AccountStore,
  accountTables,
  createSQLAccountStore,
} from "@gatehouse/web/accounts/store";
import {
  type AccountsOptions,
  createAccounts,
  type Mail,
} from "@gatehouse/web/accounts";
import { createRouter } from "@gatehouse/web/fetch-router";
import { createTestClient, testAccountStore } from "@gatehouse/web/testing";
import { findProgram, type Server, startPostgres } from "../deno/_servers.ts";

const program = findProgram("postgres", "the store of accounts on PostgreSQL");

let server: Promise<Server> | undefined;
/** The pools of the current test, whose connections the next one needs. */
const clients: ReturnType<typeof connect>[] = [];

Deno.test.afterAll(async () => {
  await (await server)?.stop();
});

/** Opens a pool of connections, as one process has. */
async function openPool() {
  const { port } = await (server ??= startPostgres(program!));
  const client = connect({
    host: "127.0.0.1",
    port,
    user: "test",
    database: "postgres",
    max: 10,
    onnotice: () => {},
    connect_timeout: 5,
  });
  clients.push(client);
  return client;
}

async function openStore(prefix?: string): Promise<AccountStore> {
  const client = await openPool();
  return createSQLAccountStore(
    (sql, params) => client.unsafe(sql, params),
    { dialect: "postgres", prefix },
  );
}

function testServed(name: string, fn: () => Promise<void>): void {
  Deno.test({
    name,
    ignore: program === null,
    // Clients keep their sockets for a moment.
    sanitizeOps: false,
    sanitizeResources: false,
    async fn() {
      try {
        await fn();
      } finally {
        await Promise.all(
          clients.splice(0).map((client) => client.end({ timeout: 1 })),
        );
      }
    },
  });
}

for (
  const { name, run } of testAccountStore(() => openStore())
) testServed(`createSQLAccountStore() on PostgreSQL: ${name}`, run);

testServed("ten processes migrate an empty database at once", async () => {
  for (let round = 0; round < 3; round++) {
    const stores = await Promise.all(
      Array.from({ length: 10 }, () => openStore(`round${round}_`)),
    );
    await Promise.all(stores.map((store) => store.migrate()));
    const secrets = await Promise.all(
      stores.map((store, n) => store.secret("name", `value ${n}`)),
    );
    assertEquals(new Set(secrets).size, 1);
  }
});

testServed("accountTables() prepares a database for the store", async () => {
  const client = await openPool();
  for (const statement of accountTables("postgres", { prefix: "tool_" })) {
    await client.unsafe(statement);
  }
  const statements: string[] = [];
  const store = createSQLAccountStore((sql, params) => {
    statements.push(sql);
    return client.unsafe(sql, params);
  }, { dialect: "postgres", prefix: "tool_" });
  assertEquals(await store.find("a1"), null);
  assertEquals(statements.filter((sql) => /CREATE|ALTER/.test(sql)), []);
});

testServed(
  "two processes race for an address, an id and a version",
  async () => {
    const stores = await Promise.all([openStore(), openStore()]);
    const both = <Result>(
      run: (store: AccountStore, n: number) => Promise<Result>,
    ) =>
      Promise.all(
        Array.from({ length: 100 }, (_none, n) => run(stores[n % 2]!, n)),
      );
    const account = (n: number) => ({
      id: crypto.randomUUID(),
      email: "race@example.com",
      emailVerified: true,
      name: `${n}`,
      role: "user",
      language: null,
      fields: {},
      passwordHash: "",
      createdAt: n,
    });
    const created = await both((store, n) => store.create(account(n)));
    const [owner, ...others] = created.filter((found) => found !== null);
    assertEquals(others, []);
    const { id } = owner!;
    const changed = await both((store, n) =>
      store.change(id, 1, { passwordHash: `${n}` })
    );
    assertEquals(changed.filter((version) => version !== null), [2]);

    // Half of the calls add a way in while the others end all access.
    const way = (n: number) => ({
      kind: "key",
      id: `race ${n}`,
      accountId: id,
      name: "",
      createdAt: n,
      usedAt: null,
      counter: 0,
      data: null,
    });
    const results = await both<unknown>((store, n) =>
      n % 4 < 2
        ? store.addWayIn(way(n), 2)
        : store.change(id, 2, { removeWaysIn: true })
    );
    assertEquals(results.filter((result) => result === 3), [3]);
    assertEquals(await stores[0].waysIn(id), []);

    const removed = await both((store, n) =>
      n % 2 === 0 ? store.addWayIn(way(n), 3) : store.remove(id, 3)
    );
    assertEquals(removed.filter((_done, n) => n % 2 === 1 && _done).length, 1);
    for (let n = 0; n < 100; n++) {
      assertEquals(await stores[1].findWayIn("key", `race ${n}`), null);
    }
  },
);

/** Starts the accounts of two processes on one database. */
async function startProcesses(
  prefix: string,
  options: Partial<AccountsOptions> = {},
) {
  const mails: Mail[] = [];
  /** The next steps that `finishStep` has named. */
  const steps: string[] = [];
  const processes = await Promise.all([1, 2].map(async () => {
    const accounts = createAccounts({
      name: "Invoices",
      origin: "https://test.example",
      database: await openStore(prefix),
      secrets: ["2Xq8vN5kR1tY7wB4zP9cH3mJ6fL0sD-aB7"],
      sendMail: (mail) => void mails.push(mail),
      passwords: { memory: 64, passes: 1 },
      ...options,
    });
    const router = createRouter({ middleware: accounts.middleware });
    router.map(accounts.routes, accounts.controller);
    router.post("/terms", async (context) => {
      const response = await accounts.finishStep(context);
      steps.push((await response.clone().json()).next);
      return response;
    });
    return { accounts, router };
  }));
  const [first] = processes;
  await first!.accounts.migrate();
  const client = createTestClient(first!.router, {
    remoteAddress: "192.0.2.1",
  });
  const post = (path: string, value: unknown) =>
    client.fetch(path, {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify(value),
    });
  /** Sends a request of this browser to both processes, 100 times at once. */
  const postToAll = async (path: string, value: unknown) => {
    const cookie = [...client.cookies].map((pair) => pair.join("=")).join("; ");
    return await Promise.all(Array.from({ length: 100 }, async (_none, n) => {
      const { router } = processes[n % 2]!;
      const response = await router.fetch(
        new Request(`https://test.example${path}`, {
          method: "POST",
          headers: { "Content-Type": "application/json", cookie },
          body: JSON.stringify(value),
        }),
      );
      await response.body?.cancel();
      return response.status;
    }));
  };
  const lastMail = async () => {
    for (const { accounts } of processes) await accounts.flush();
    return mails.at(-1)!.text;
  };
  return { ...first!, client, post, postToAll, lastMail, steps };
}

testServed(
  "100 requests at two processes spend a code and a link once",
  async () => {
    const { accounts, client, post, postToAll, lastMail } =
      await startProcesses(
        "flow_",
      );
    const email = "ada@example.com";
    const password = "correct horse battery";
    await post("/register", { email, name: "Ada", password });
    const [code] = /^\d{6}$/m.exec(await lastMail())!;
    const registered = await postToAll("/register/code", { code });
    assertEquals(registered.filter((status) => status === 200).length, 1);
    assertEquals(registered.filter((status) => status >= 500), []);
    assertEquals((await accounts.users.list()).users.length, 1);

    await post("/login", { email, password });
    await post("/login/reset", { email });
    const [, token] = /token=([\w-]+)/.exec(await lastMail())!;
    const reset = { token, password: "another horse battery" };
    const statuses = await postToAll("/login/reset/link", reset);
    assertEquals(statuses.filter((status) => status === 200).length, 1);
    assertEquals(
      statuses.filter((status) => status >= 500 && status !== 503),
      [],
    );

    const login = { email, password: reset.password };
    const { id } = (await accounts.users.findByEmail(email))!;
    const [logins] = await Promise.all([
      postToAll("/login", login),
      accounts.users.endAccess(id),
    ]);
    assertEquals(
      logins.filter((status) => status >= 500 && status !== 503),
      [],
    );
    await accounts.users.remove(id);
    const session = await client.fetch("/account/session");
    assertEquals(await session.json(), { account: null });
  },
);

testServed(
  "of 100 requests at two processes that accept an invitation, one registers",
  async () => {
    const { accounts, postToAll, lastMail } = await startProcesses("invited_");
    const [name, password] = ["Ada", "correct horse battery"];
    const invite = async (email: string) => {
      await accounts.users.invite({ email });
      const [, token] = /token=([\w.-]+)/.exec(await lastMail())!;
      return { token, name, password };
    };
    const statuses = await postToAll(
      "/register",
      await invite("ada@example.com"),
    );
    assertEquals(statuses.filter((status) => status === 200).length, 1);
    // The queue of passwords refuses the requests that it has no room for.
    const failed = statuses.filter((status) => status >= 500);
    assertEquals(failed.filter((status) => status !== 503), []);
    assertEquals((await accounts.users.list()).users.length, 1);

    const email = "bob@example.com";
    const [, isWithdrawn] = await Promise.all([
      postToAll("/register", await invite(email)),
      accounts.users.withdrawInvitation(email),
    ]);
    const bob = await accounts.users.findByEmail(email);
    assertEquals(bob === null, isWithdrawn);
  },
);

testServed(
  "of 100 requests at two processes that finish an own step, one logs in",
  async () => {
    let isRequired = true;
    const { accounts, client, post, postToAll, lastMail, steps } =
      await startProcesses("steps_", {
        hooks: {
          beforeLogin: () => isRequired ? { step: "/terms" } : undefined,
        },
      });
    const email = "ada@example.com";
    await accounts.users.create({ email, name: "Ada" });
    const begin = async () => {
      await post("/login/email", { email });
      const [code] = /^\d{6}$/m.exec(await lastMail())!;
      const login = await post("/login/email/code", { code });
      assertEquals((await login.json()).next, "step");
    };
    await begin();
    const early = await postToAll("/terms", {});
    assertEquals(new Set(early), new Set([200]));
    assertEquals(new Set(steps.splice(0)), new Set(["step"]));
    const session = await client.fetch("/account/session");
    assertEquals(await session.json(), { account: null });

    isRequired = false;
    const { id } = (await accounts.users.findByEmail(email))!;
    const done = await postToAll("/terms", {});
    assertEquals(done.filter((status) => status >= 500), []);
    assertEquals(steps.filter((next) => next === "done"), ["done"]);

    // An end of access wins against each of them.
    isRequired = true;
    await begin();
    isRequired = false;
    await Promise.all([
      postToAll("/terms", {}),
      accounts.users.endAccess(id),
    ]);
    await accounts.users.endAccess(id);
    const after = await client.fetch("/account/session");
    assertEquals(await after.json(), { account: null });
  },
);

testServed(
  "of all owners who leave at two processes at once, one stays",
  async () => {
    const stores = [await openStore("owners_"), await openStore("owners_")];
    const [first] = stores;
    for (let round = 0; round < 10; round++) {
      const team = { id: `t${round}`, name: "Engines", createdAt: round };
      const owners = await Promise.all(
        Array.from({ length: 10 }, async (_, n) => {
          const id = `r${round}u${n}`;
          await first!.create({
            id,
            email: `${id}@example.com`,
            emailVerified: true,
            name: id,
            role: "user",
            language: null,
            fields: {},
            passwordHash: "",
            createdAt: 0,
          });
          const { id: teamId } = team;
          const member = { id: `m${id}`, teamId, userId: id, role: "owner" };
          return { ...member, createdAt: n };
        }),
      );
      await first!.teams!.create(team, owners[0]!, 1);
      for (const owner of owners.slice(1)) await first!.teams!.add(owner, 1);
      // Each owner leaves ten times, from both processes.
      const left = await Promise.all(
        Array.from(
          { length: 100 },
          (_, n) =>
            stores[n % 2]!.teams!.removeMember({
              teamId: team.id,
              id: owners[Math.floor(n / 10)]!.id,
              owner: "owner",
            }),
        ),
      );
      assertEquals(left.filter(Boolean).length, 9);
      assertEquals((await first!.teams!.members(team.id)).length, 1);
    }
  },
);
