/** Users of better-auth move without a new login, password or second factor. */
import { assert, assertEquals } from "@std/assert";
import {
  adoptSessions,
  importAccounts,
  readBetterAuth,
  takeBetterAuthSession,
} from "@gatehouse/web/accounts/migrate";
import { createMemoryAccountStore } from "@gatehouse/web/accounts/store";
import { generateTOTP } from "@gatehouse/web/auth/second-factor";
import { Auth } from "@gatehouse/web/auth-middleware";
import { createRouter } from "@gatehouse/web/fetch-router";
import { createTestClient } from "@gatehouse/web/testing";
import { type Browser, startAccounts } from "../accounts/_accounts.ts";
import {
  BETTER_AUTH_SECRET,
  decrypt,
  OLD_PASSWORD,
  startBetterAuth,
} from "../deno/_better_auth.ts";

const SECRETS = ["2Xq8vN5kR1tY7wB4zP9cH3mJ6fL0sD-aB7"];

/** Starts better-auth with a user of each kind. */
async function startOld() {
  const old = await startBetterAuth();
  const ada = old.browser();
  const adaUser = await ada.signUp("Ada");
  const authenticator = await ada.addPasskey();
  const bob = old.browser();
  await bob.signUp("Bob");
  const app = await bob.enableApp();
  const { internalAdapter } = await old.auth.$context;
  const { user: carol } = await internalAdapter.createOAuthUser(
    { name: "Carol", email: "carol@example.com", emailVerified: true },
    { providerId: "google", accountId: "google-7" },
  );
  const dave = old.browser();
  const daveUser = await dave.signUp("Dave");
  const ban = `UPDATE "user" SET banned = 1, "banReason" = ? WHERE id = ?`;
  old.query(ban, ["spam", daveUser.id]);
  return {
    ...old,
    ada,
    bob,
    dave,
    app,
    authenticator,
    ids: [adaUser.id, carol.id, daveUser.id],
  };
}

/** Starts accounts with the imported users, 60 seconds after the import. */
async function move(old: Awaited<ReturnType<typeof startOld>>) {
  let time = Date.now();
  const now = () => time;
  const store = createMemoryAccountStore({ now });
  const run = () =>
    importAccounts(readBetterAuth(old.query, { decrypt }), {
      store,
      secrets: SECRETS,
      now,
    });
  const report = await run();
  time += 60_000;
  const app = startAccounts({ database: store, secrets: SECRETS, now });
  return { ...app, now, report, run, store };
}

async function logIn(browser: Browser, email: string) {
  const response = await browser.post("/login", {
    email,
    password: OLD_PASSWORD,
  });
  await response.body?.cancel();
  return response.headers.get("Location") ?? response.status;
}

Deno.test("importAccounts() moves users of better-auth with their ids, and reports what it stored", async () => {
  const old = await startOld();
  const { report, store } = await move(old);
  assertEquals(report, {
    read: 4,
    created: 4,
    existing: 0,
    refused: 0,
    passwords: 3,
    secondFactors: 1,
    passkeys: 1,
    logins: 1,
    problems: [],
  });
  const [adaId, carolId, daveId] = old.ids;
  const ada = await store.findByEmail("ada@example.com");
  assertEquals([ada?.id, ada?.name, ada?.emailVerified], [adaId, "Ada", false]);
  assertEquals(
    (await store.findWayIn(
      "identity",
      '["https://accounts.google.com","google-7"]',
    ))?.account.id,
    carolId,
  );
  assertEquals((await store.find(daveId))?.disabled, {
    reason: "spam",
    until: null,
  });
});

Deno.test("a user of better-auth logs in with the old password, which gets a new hash", async () => {
  const { browser, store } = await move(await startOld());
  const ada = browser();
  assertEquals(await logIn(ada, "ada@example.com"), "/");
  assert(await ada.isLoggedIn());
  const login = await store.findLogin("ada@example.com");
  assert(login?.passwordHash.startsWith("$argon2id$"));
  assertEquals(await logIn(browser(), "dave@example.com"), 403);
});

Deno.test("a user of better-auth logs in with the app and the recovery codes that they have", async () => {
  const old = await startOld();
  const { browser, now } = await move(old);
  const email = "bob@example.com";
  const bob = browser();
  assertEquals(await logIn(bob, email), "/login/code");
  assertEquals(await bob.isLoggedIn(), false);
  const code = await generateTOTP(old.app.secret, { time: now() });
  await bob.post("/login/code", { code });
  assert(await bob.isLoggedIn());

  const [backupCode] = old.app.backupCodes;
  for (const isUsed of [false, true]) {
    const phone = browser();
    await logIn(phone, email);
    await phone.post("/login/code", { code: backupCode! });
    assertEquals(await phone.isLoggedIn(), !isUsed);
  }
});

Deno.test("a user of better-auth logs in with the passkey that they have", async () => {
  const old = await startOld();
  const { browser } = await move(old);
  const phone = browser();
  const options = await (await phone.post("/login/passkey/options")).json();
  const passkey = JSON.stringify(await old.authenticator.authenticate(options));
  await phone.post("/login/passkey", { passkey });
  assert(await phone.isLoggedIn());
});

Deno.test("importAccounts() can run again, adds new users, and restores nothing that an owner removed", async () => {
  const old = await startOld();
  const { browser, run, store } = await move(old);
  const again = await run();
  assertEquals([again.created, again.existing], [0, 4]);
  assertEquals([again.passkeys, again.logins, again.problems], [0, 0, []]);

  const ada = browser();
  await logIn(ada, "ada@example.com");
  const [way] = await store.waysIn(old.ids[0], "passkey");
  const removed = await ada.post("/account/passkeys/remove", { id: way!.id });
  assertEquals(removed.status, 303, await removed.text());
  await old.browser().signUp("Erin");
  assertEquals((await run()).created, 1);
  assertEquals(await store.waysIn(old.ids[0]), []);
});

Deno.test("importAccounts() does not restore an authenticator app that its owner removed", async () => {
  const old = await startOld();
  const { browser, now, run, store } = await move(old);
  const bob = browser();
  await logIn(bob, "bob@example.com");
  const code = await generateTOTP(old.app.secret, { time: now() });
  await bob.post("/login/code", { code });
  const removed = await bob.post("/account/two-step/remove");
  assertEquals(removed.status, 303, await removed.text());
  const { existing, secondFactors } = await run();
  assertEquals([existing, secondFactors], [4, 0]);
  assertEquals(await logIn(browser(), "bob@example.com"), "/");
  assert((await store.findByEmail("bob@example.com"))!.version > 1);
});

Deno.test("importAccounts() continues after an interruption", async () => {
  const old = await startOld();
  const store = createMemoryAccountStore();
  let left = 1;
  const { addWayIn } = store;
  store.addWayIn = (...values) =>
    left-- > 0
      ? Promise.reject(new Error("The process ended"))
      : addWayIn.apply(store, values);
  const run = () =>
    importAccounts(readBetterAuth(old.query, { decrypt }), {
      store,
      secrets: SECRETS,
    });
  const error = await run().catch((error) => error);
  assertEquals(error.message, "The process ended");
  const { created, existing, logins, passkeys } = await run();
  assertEquals(created + existing, 4);
  assertEquals([logins, passkeys], [1, 1]);
});

Deno.test("importAccounts() never imports an account without the second factor that it has", async () => {
  const old = await startOld();
  const cases = [
    { decrypt: undefined, problem: "needs the secret" },
    { decrypt: () => Promise.reject(new Error("x")), problem: "decrypt" },
    { decrypt: () => "short", problem: "decrypt" },
  ];
  for (const { problem, ...options } of cases) {
    const store = createMemoryAccountStore();
    const accounts = readBetterAuth(old.query, options);
    const report = await importAccounts(accounts, { store, secrets: SECRETS });
    assertEquals([report.created, report.refused], [3, 1]);
    assert(report.problems[0]?.problem.includes(problem), problem);
    assertEquals(await store.findByEmail("bob@example.com"), null);
  }
  old.database.exec('DELETE FROM "twoFactor"');
  const store = createMemoryAccountStore();
  const accounts = readBetterAuth(old.query, { decrypt });
  const { problems } = await importAccounts(accounts, { store });
  assertEquals(problems.map(({ problem }) => problem), [
    "the second factor is missing",
  ]);
});

/** Starts an application that adopts sessions of better-auth. */
async function startAdopting() {
  const old = await startOld();
  const { accounts, store, now } = await move(old);
  const take = takeBetterAuthSession(old.query, {
    secret: BETTER_AUTH_SECRET,
    now,
  });
  const [protection, session, auth] = accounts.middleware;
  const router = createRouter({
    middleware: [
      protection,
      session,
      adoptSessions({ store, take }),
      auth,
    ],
  });
  router.get("/", (context) => new Response(context.get(Auth)?.name ?? "?"));
  router.get("/fresh", accounts.requireFresh, () => new Response("fresh"));
  /** Opens a browser with the cookies of better-auth. */
  const open = (cookies: ReadonlyMap<string, string>) => {
    const { fetch } = createTestClient(router);
    const Cookie = [...cookies].map((pair) => pair.join("=")).join("; ");
    return {
      ask: async () => await (await fetch("/", { headers: { Cookie } })).text(),
      fetch,
    };
  };
  return { ...old, open, store };
}

Deno.test("adoptSessions() logs a user of better-auth in without a new login, once", async () => {
  const { ada, open } = await startAdopting();
  const browser = open(ada.cookies);
  assertEquals(await browser.ask(), "Ada");
  // The new session, without the old cookie.
  assertEquals(await (await browser.fetch("/")).text(), "Ada");
  // The login is as old as that of the old session.
  assertEquals((await browser.fetch("/fresh")).status, 200);
  assertEquals(await open(ada.cookies).ask(), "?");
});

Deno.test("adoptSessions() gives one of 20 concurrent requests the login", async () => {
  const { ada, open } = await startAdopting();
  const names = await Promise.all(
    Array.from({ length: 20 }, () => open(ada.cookies).ask()),
  );
  assertEquals(names.filter((name) => name === "Ada").length, 1);
});

Deno.test("adoptSessions() adopts a session that has passed the second factor", async () => {
  const { bob, open } = await startAdopting();
  assertEquals(await open(bob.cookies).ask(), "Bob");
});

Deno.test("adoptSessions() refuses forged, expired, foreign and ended sessions", async () => {
  const { ada, dave, database, ids, open, query, store } =
    await startAdopting();
  // An administrator of better-auth has blocked this user.
  assertEquals(await open(dave.cookies).ask(), "?");
  const [name, value = ""] =
    [...ada.cookies].find(([name]) => name.endsWith("session_token")) ?? [];
  const token = decodeURIComponent(value).split(".")[0];
  const forged = [
    "",
    token!,
    `${token}.`,
    `${token}.${"A".repeat(43)}=`,
    `${encodeURIComponent(`x' OR 1=1 --`)}.${"A".repeat(43)}=`,
    "%",
    "%00",
    "a".repeat(5_000),
    value.replace(/^./, (first) => first === "a" ? "b" : "a"),
  ];
  for (const value of forged) {
    assertEquals(await open(new Map([[name!, value]])).ask(), "?", value);
  }

  const session = query('SELECT * FROM "session" WHERE token = ?', [
    token!,
  ])[0]!;
  const changes = [
    [`UPDATE "session" SET "impersonatedBy" = 'admin'`, undefined],
    [
      `UPDATE "session" SET "expiresAt" = '2001-01-01T00:00:00.000Z'`,
      undefined,
    ],
    [`UPDATE "session" SET "userId" = 'unknown'`, undefined],
    ["", async () => void await store.change(ids[0], 1, {})],
  ] as const;
  for (const [sql, change] of changes) {
    query('DELETE FROM "session" WHERE token = ?', [token!]);
    const columns = Object.keys(session);
    database.exec("PRAGMA foreign_keys = OFF");
    query(
      `INSERT INTO "session" (${columns.map((one) => `"${one}"`)})
      VALUES (${columns.map(() => "?")})`,
      Object.values(session) as (string | null)[],
    );
    if (sql !== "") database.exec(sql);
    await change?.();
    assertEquals(await open(ada.cookies).ask(), "?", sql);
  }
});

Deno.test("adoptSessions() ends the old session of a browser that is logged in, so that it cannot undo a logout", async () => {
  const { ada, bob, open, query } = await startAdopting();
  const header = (cookies: ReadonlyMap<string, string>) =>
    [...cookies].map((pair) => pair.join("=")).join("; ");
  const { fetch } = open(bob.cookies);
  const login = await fetch("/", { headers: { Cookie: header(bob.cookies) } });
  const [own = ""] = login.headers.getSetCookie()[0]!.split(";");
  const Cookie = `${own}; ${header(ada.cookies)}`;
  const response = await fetch("/", { headers: { Cookie } });
  assertEquals(await response.text(), "Bob");
  assertEquals(await open(ada.cookies).ask(), "?");
  assertEquals(
    query(
      `SELECT COUNT(*) AS count FROM "session" s JOIN "user" u
    ON u.id = s."userId" WHERE u.name = 'Ada'`,
      [],
    )[0]!.count,
    0,
  );
});
