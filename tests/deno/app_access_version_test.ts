// One access version of an account: what began before all access was ended, or is
// stored while it is, does not work afterwards.
import { assert, assertEquals } from "@std/assert";
import { hashPassword } from "@gatehouse/web/auth/password";
import { generateTOTP } from "@gatehouse/web/auth/second-factor";
import { createTestAuthenticator } from "@gatehouse/web/testing";
import type { Query } from "../../examples/app/data/database.ts";
import { routes } from "../../examples/app/routes.ts";
import {
  type ExampleApp,
  PASSWORD,
  startExampleApp,
  type Visitor,
} from "./_example_app.ts";

const email = "ada@example.com";
const next = "another long one";

/** A user with an authenticator app, and two browsers that are logged in. */
interface Account {
  readonly app: ExampleApp;
  /** The owner's browser. */
  readonly owner: Visitor;
  /** A browser of a thief, with a session of the same account. */
  readonly thief: Visitor;
  /** A recovery code of the owner. */
  readonly recoveryCode: string;
  /** Returns the next code of the app. Each works once. */
  code(): Promise<string>;
  /** Runs something once, right before or after a statement of the thief. */
  meanwhile(
    when: "before" | "after",
    statement: string,
    happens: () => Promise<void>,
  ): void;
}

/** Ends all access to the account. */
interface Event {
  readonly end: (account: Account) => Promise<void>;
  /** `true` if access tokens end too. */
  readonly endsTokens: boolean;
  /** The password afterwards. */
  readonly password: string;
  /** The address afterwards. */
  readonly address?: string;
}

async function sendReset({ app, owner }: Account): Promise<string> {
  await owner.post("/forgot-password", { email });
  return tokenIn(app);
}

function tokenIn({ mails }: ExampleApp): string {
  return mails.at(-1)!.text.match(/token=([\w-]+)/)![1]!;
}

function codeIn({ mails }: ExampleApp): string {
  return mails.at(-1)!.text.match(/\b\d{6}\b/)![0];
}

const events: Record<string, Event> = {
  "a reset": {
    async end(account) {
      const token = await sendReset(account);
      const form = { token, password: next, confirmPassword: next };
      const { location } = await account.owner.post("/reset-password", form);
      assertEquals(location, "/reset-password/done");
    },
    endsTokens: true,
    password: next,
  },
  "a change of password": {
    async end({ owner }) {
      const { location } = await owner.post("/account/password", {
        _method: "PUT",
        currentPassword: PASSWORD,
        password: next,
        confirmPassword: next,
      });
      assertEquals(location, "/account");
    },
    endsTokens: true,
    password: next,
  },
  "an admin's logout": {
    async end({ app }) {
      const admin = await app.loggedIn("admin");
      const form = { _method: "DELETE" };
      assertEquals((await admin.post("/admin/1/sessions", form)).status, 302);
    },
    endsTokens: true,
    password: PASSWORD,
  },
  "a new address": {
    async end({ app, owner }) {
      const path = "/account/email/change";
      await owner.post(path, { email: "new@example.com" });
      const { location } = await owner.post(path, { code: codeIn(app) });
      assertEquals(location, "/account/email");
    },
    endsTokens: false,
    password: PASSWORD,
    address: "new@example.com",
  },
  "a new passkey": {
    async end({ app, owner }) {
      assertEquals(await addPasskey(app, owner), "/account/passkeys");
    },
    endsTokens: false,
    password: PASSWORD,
  },
  "new recovery codes": {
    async end({ owner }) {
      const path = "/account/security/recovery-codes";
      assertEquals((await owner.post(path)).status, 200);
    },
    endsTokens: false,
    password: PASSWORD,
  },
};

async function addPasskey(
  { baseURL }: ExampleApp,
  visitor: Visitor,
): Promise<string | null> {
  const path = "/account/passkeys";
  const options = await visitor.post(`${path}/options`);
  if (options.status !== 200) return options.location;
  const authenticator = createTestAuthenticator({ origin: baseURL });
  const response = await authenticator.register(JSON.parse(options.body));
  const passkey = JSON.stringify(response);
  return (await visitor.post(path, { label: "Phone", passkey })).location;
}

/** Something that begins before all access is ended. */
interface Way {
  /** The routes that it belongs to. */
  readonly routes: readonly string[];
  /** Begins. The function that it returns ends it: `true` if it worked. */
  readonly begin: (
    account: Account,
  ) => Promise<(after: Event) => Promise<boolean>>;
  /** `true` if it outlives an event. */
  readonly survives?: (name: string, event: Event) => boolean;
}

async function sendPassword(visitor: Visitor, form: Record<string, string>) {
  return (await visitor.post("/login", form)).location;
}

async function isIn(visitor: Visitor): Promise<boolean> {
  return (await visitor.get("/account")).status === 200;
}

async function statusOf({ app }: Account, headers: HeadersInit) {
  return (await app.visitor().get("/api/me", headers)).status;
}

async function secretOf(thief: Visitor, path: string): Promise<string> {
  await thief.post(path, { label: "x" });
  const { body } = await thief.get(`${path}/new`);
  return /<code id="secret">([^<]+)</.exec(body)?.[1] ?? "none";
}

/** Reads the page that sets up an app, and returns its form with a code. */
async function setUpForm(app: ExampleApp, visitor: Visitor) {
  const { body } = await visitor.get("/account/security/app");
  const [, setup] = /name="setup" value="([^"]+)"/.exec(body)!;
  const [, spaced] = /id="totp-secret">([^<]+)</.exec(body)!;
  const secret = spaced!.replaceAll(" ", "");
  const code = () => generateTOTP(secret, { time: app.now() });
  return { secret, form: { setup: setup!, code: await code() } };
}

/** Asks for a login by email. */
async function byEmail({ app }: Account) {
  const browser = app.visitor();
  await browser.post("/login/email", { email });
  const proof = { code: codeIn(app), token: tokenIn(app) };
  return { browser, proof };
}

const ways: Record<string, Way> = {
  "a session": {
    routes: [
      "POST /register",
      "POST /login",
      "GET /auth/:provider/callback",
      "POST /account/confirm",
      "POST /login/passkey",
    ],
    begin: ({ thief }) => Promise.resolve(() => isIn(thief)),
  },
  "a login that waits for a code": {
    routes: ["POST /login/code"],
    async begin({ app, code }) {
      const browser = app.visitor();
      await sendPassword(browser, { email, password: PASSWORD });
      return async () => {
        await browser.post("/login/code", { code: await code() });
        return await isIn(browser);
      };
    },
  },
  "a remembered browser": {
    routes: ["POST /login/code"],
    async begin({ app, code }) {
      const browser = app.visitor();
      await sendPassword(browser, { email, password: PASSWORD });
      const form = { code: await code(), remember: "on" };
      await browser.post("/login/code", form);
      await browser.post("/logout");
      return async ({ address = email, password }) => {
        await sendPassword(browser, { email: address, password });
        return await isIn(browser);
      };
    },
  },
  "a code by email": {
    routes: ["POST /login/email", "POST /login/email/code"],
    async begin(account) {
      const { browser, proof: { code } } = await byEmail(account);
      return async () => {
        const { location } = await browser.post("/login/email/code", { code });
        return location === "/login/code";
      };
    },
  },
  "a link by email": {
    routes: ["POST /login/email/link"],
    async begin(account) {
      const { browser, proof: { token } } = await byEmail(account);
      return async () => {
        const { location } = await browser.post("/login/email/link", { token });
        return location === "/login/code";
      };
    },
  },
  "a reset link": {
    routes: ["POST /forgot-password", "POST /reset-password"],
    async begin(account) {
      const token = await sendReset(account);
      const thief = account.app.visitor();
      return async () => {
        const page = await thief.get(`/reset-password?token=${token}`);
        const password = "the password of a thief";
        const form = { token, password, confirmPassword: password };
        const { location } = await thief.post("/reset-password", form);
        assertEquals(page.status, location === null ? 400 : 200);
        return location !== null;
      };
    },
  },
  "a proof of a new address": {
    routes: ["POST /account/email/change", "POST /account/email/change/link"],
    async begin({ app, thief }) {
      const address = "thief@example.com";
      await thief.post("/account/email/change", { email: address });
      const code = codeIn(app);
      return async () => {
        await thief.post("/account/email/change", { code });
        return await app.users.findByEmail(address) !== null;
      };
    },
  },
  "a proof of the address": {
    routes: [
      "POST /account/email",
      "POST /account/email/send",
      "POST /account/email/link",
    ],
    async begin({ app, thief }) {
      const verified = (value: number) =>
        app.database("UPDATE users SET email_verified = ?", [value]);
      await verified(0);
      await thief.post("/account/email/send");
      const code = codeIn(app);
      await verified(1);
      return async () => {
        await verified(0);
        await thief.post("/account/email", { code });
        return (await app.users.find(1))!.emailVerified;
      };
    },
  },
  "a set-up of an app": {
    routes: ["POST /account/security/app"],
    async begin({ app, thief }) {
      const { form } = await setUpForm(app, thief);
      return async () => {
        const { status } = await thief.post("/account/security/app", form);
        return status === 200;
      };
    },
  },
  "an API key": {
    routes: ["POST /account/keys", "POST /account/keys/new"],
    async begin(account) {
      const key = await secretOf(account.thief, "/account/keys");
      return async () => await statusOf(account, { "X-API-Key": key }) === 200;
    },
    survives: (name) => name !== "a reset",
  },
  "an access token": {
    routes: ["POST /account/tokens", "POST /account/tokens/new"],
    async begin(account) {
      const token = await secretOf(account.thief, "/account/tokens");
      const headers = { Authorization: `Bearer ${token}` };
      return async () => await statusOf(account, headers) === 200;
    },
    survives: (_, { endsTokens }) => !endsTokens,
  },
  "a linked login": {
    routes: ["POST /account/logins/:provider"],
    async begin({ app, thief }) {
      const start = await thief.post("/account/logins/demo");
      await thief.logInExternally("demo-grace", start);
      // The link has ended the session of the owner, who logs in again.
      return async () => {
        const login = await app.visitor().logInExternally("demo-grace");
        return login.location === "/login/code";
      };
    },
    survives: (name) => name !== "a reset",
  },
};

/** Something that a request stores while all access is ended. */
interface Write {
  readonly routes: readonly string[];
  readonly when: "before" | "after";
  /** The beginning of the statement at which access ends. */
  readonly statement: string;
  /** Sends the request of the thief. */
  readonly attack: (account: Account) => Promise<unknown>;
  /** Returns `true` if it was stored. */
  readonly isStored: (account: Account, after: Event) => Promise<boolean>;
}

async function count({ app }: Account, table: string): Promise<number> {
  return (await app.database(`SELECT * FROM ${table}`, [])).length;
}

/** The moment after the second factors first compare the version. */
const compared = {
  when: "after",
  statement: "SELECT access_version FROM users",
} as const;

const writes: Record<string, Write> = {
  "a passkey": {
    routes: [
      "POST /account/passkeys",
      "POST /account/passkeys/options",
      "POST /account/passkeys/upgrade",
      "POST /account/passkeys/upgrade/options",
    ],
    when: "before",
    statement: "INSERT INTO passkeys",
    attack: ({ app, thief }) => addPasskey(app, thief),
    isStored: async (account) => await count(account, "passkeys") > 0,
  },
  "an authenticator app": {
    routes: ["POST /account/security/app"],
    ...compared,
    async attack({ app, thief }) {
      const { form } = await setUpForm(app, thief);
      await thief.post("/account/security/app", form);
    },
    isStored: async (account, after) => !await hasOwnApp(account, after),
  },
  "recovery codes": {
    routes: ["POST /account/security/recovery-codes"],
    ...compared,
    attack: ({ thief }) => thief.post("/account/security/recovery-codes"),
    async isStored({ app, recoveryCode }, { address = email, password }) {
      const browser = app.visitor();
      await sendPassword(browser, { email: address, password });
      await browser.post("/login/code", { code: recoveryCode });
      return !await isIn(browser);
    },
  },
  "a removal of the app": {
    routes: ["POST /account/security/app/remove"],
    ...compared,
    async attack({ code, thief }) {
      const form = { code: await code() };
      await thief.post("/account/security/app/remove", form);
    },
    isStored: async (account, after) => !await hasOwnApp(account, after),
  },
  "an API key": {
    routes: ["POST /account/keys"],
    when: "before",
    statement: "INSERT INTO api_keys",
    attack: ({ thief }) => thief.post("/account/keys", { label: "x" }),
    isStored: async (account) => await count(account, "api_keys") > 0,
  },
  "an access token": {
    routes: ["POST /account/tokens"],
    when: "before",
    statement: "INSERT INTO access_tokens",
    attack: ({ thief }) => thief.post("/account/tokens", { label: "x" }),
    isStored: async (account) => await count(account, "access_tokens") > 0,
  },
  "a linked login": {
    routes: ["POST /account/logins/:provider", "GET /auth/:provider/callback"],
    when: "before",
    statement: "INSERT INTO identities",
    async attack({ thief }) {
      const start = await thief.post("/account/logins/demo");
      await thief.logInExternally("demo-grace", start);
    },
    isStored: async (account) => await count(account, "identities") > 0,
  },
  "a new password": {
    routes: ["PUT /account/password"],
    when: "before",
    statement: "UPDATE users SET access_version",
    attack: ({ thief }) =>
      thief.post("/account/password", {
        _method: "PUT",
        currentPassword: PASSWORD,
        password: "the password of a thief",
        confirmPassword: "the password of a thief",
      }),
    async isStored({ app }, { address = email }) {
      const password = "the password of a thief";
      const form = { email: address, password };
      return await sendPassword(app.visitor(), form) !== null;
    },
  },
  "a new address": {
    routes: ["POST /account/email/change"],
    when: "before",
    statement: "UPDATE users SET email = ?",
    async attack({ app, thief }) {
      const address = "thief@example.com";
      await thief.post("/account/email/change", { email: address });
      await thief.post("/account/email/change", { code: codeIn(app) });
    },
    isStored: async ({ app }) =>
      await app.users.findByEmail("thief@example.com") !== null,
  },
  "a remembered browser": {
    routes: ["POST /login/code"],
    when: "before",
    statement: "INSERT INTO second_factors",
    async attack({ code, thief }) {
      await thief.post("/logout");
      await sendPassword(thief, { email, password: PASSWORD });
      const form = { code: await code(), remember: "on" };
      await thief.post("/login/code", form);
    },
    async isStored({ thief }, { address = email, password }) {
      await thief.post("/logout");
      return await sendPassword(thief, { email: address, password }) === "/";
    },
  },
};

/** Returns `true` if a login needs a code of the owner's app, which works. */
async function hasOwnApp(
  { app, code }: Account,
  { address = email, password }: Event,
): Promise<boolean> {
  const browser = app.visitor();
  const next = await sendPassword(browser, { email: address, password });
  if (next !== "/login/code") return false;
  await browser.post("/login/code", { code: await code() });
  return await isIn(browser);
}

/** The hash of the password, which takes longer than the rest of a test. */
let passwordHash: Promise<string> | undefined;

/** Creates a user with an authenticator app, and logs a thief in. */
async function createAccount(run: (account: Account) => Promise<void>) {
  let due: Parameters<Account["meanwhile"]> | undefined;
  const happen = async (when: "before" | "after", sql: string) => {
    if (due?.[0] !== when || !sql.startsWith(due[1])) return;
    const [, , happens] = due;
    due = undefined;
    await happens();
  };
  const wrap = (query: Query): Query => async (sql, params) => {
    await happen("before", sql);
    const rows = await query(sql, params);
    await happen("after", sql);
    return rows;
  };
  await using app = await startExampleApp({ wrap });
  const [owner, thief] = [app.visitor(), app.visitor()];
  const hash = await (passwordHash ??= hashPassword(PASSWORD));
  const user = { name: "Ada", email, passwordHash: hash, emailVerified: true };
  await app.users.create(user);
  await sendPassword(owner, { email, password: PASSWORD });
  const { form, secret } = await setUpForm(app, owner);
  const { body } = await owner.post("/account/security/app", form);
  const [, recoveryCode = ""] = /<code>([\w-]{27})<\/code>/.exec(body)!;
  const code = () => {
    app.wait(30_000);
    return generateTOTP(secret, { time: app.now() });
  };
  await sendPassword(thief, { email, password: PASSWORD });
  await thief.post("/login/code", { code: await code() });
  assert(await isIn(thief) && await isIn(owner));
  const meanwhile: Account["meanwhile"] = (...args) => void (due = args);
  await run({ app, owner, thief, recoveryCode, code, meanwhile });
}

/** The events that end everything. The others only show that sessions end. */
const main = ["a reset", "a change of password", "an admin's logout"];

for (const [name, { begin, survives }] of Object.entries(ways)) {
  for (const [what, event] of Object.entries(events)) {
    if (!main.includes(what) && name !== "a session") continue;
    const isAlive = survives?.(what, event) ?? false;
    Deno.test(`${name} from before ${what} ${isAlive ? "still works" : "does not work"} (ASVS 7.4.3)`, async () => {
      await createAccount(async (account) => {
        const finish = await begin(account);
        if (!await isIn(account.owner)) {
          const form = { email, password: PASSWORD };
          await sendPassword(account.owner, form);
          const code = await account.code();
          await account.owner.post("/login/code", { code });
        }
        await event.end(account);
        assertEquals(await finish(event), isAlive);
      });
    });
  }

  Deno.test(`${name} works without an end of access`, async () => {
    await createAccount(async (account) => {
      const finish = await begin(account);
      const nothing = { endsTokens: false, end: () => Promise.resolve() };
      assert(await finish({ ...nothing, password: PASSWORD }));
    });
  });
}

for (const [name, write] of Object.entries(writes)) {
  for (const [what, event] of Object.entries(events)) {
    if (!main.includes(what)) continue;
    Deno.test(`${name} that is posted during ${what} does not survive it`, async () => {
      await createAccount(async (account) => {
        let hasEnded = false;
        account.meanwhile(write.when, write.statement, async () => {
          await event.end(account);
          hasEnded = true;
        });
        await write.attack(account);
        assert(hasEnded);
        assertEquals(await isIn(account.thief), false);
        assertEquals(await write.isStored(account, event), false);
      });
    });
  }
}

/** Routes that neither prove nor add a way in. */
const others: Record<string, readonly string[]> = {
  "they end access": [
    "POST /logout",
    "DELETE /account/security/devices/:id",
    "DELETE /account/passkeys/:id",
    "DELETE /account/sessions/:id",
    "DELETE /account/sessions",
    "DELETE /account/keys/:id",
    "DELETE /account/tokens/:id",
    "DELETE /account/logins/:id",
    "DELETE /admin/:id/sessions",
  ],
  "they only create a challenge": [
    "POST /login/passkey/options",
    "POST /account/confirm/passkey/options",
  ],
  "links with which the owner removes a way in": ["POST /not-me"],
  "they confirm a session, which ends": [
    "POST /account/confirm/passkey",
    "POST /account/confirm/send",
    "POST /account/confirm/email",
  ],
  "they change other things": [
    "PUT /account",
    "PUT /account/passkeys/:id",
    "POST /editor",
    "PUT /editor/:id",
    "DELETE /editor/:id",
    "PUT /admin/:id",
    "DELETE /api/notices/:id",
  ],
};

Deno.test("each route that changes something is in the tables", () => {
  interface Node {
    readonly method: string;
    readonly pattern: unknown;
    readonly href: () => string;
  }
  const all = (map: object): string[] =>
    Object.values(map).flatMap((node: Node) =>
      typeof node.href === "function"
        ? [`${node.method} ${node.pattern}`]
        : all(node)
    );
  const known = [...Object.values(ways), ...Object.values(writes)]
    .flatMap(({ routes }) => routes);
  const listed = new Set([...known, ...Object.values(others).flat()]);
  const changing = all(routes).filter((route) =>
    !route.startsWith("GET ") || route === "GET /auth/:provider/callback"
  );
  assertEquals([...listed].sort(), changing.sort());
});

/** Tables whose rows do not open an account. */
const harmless = ["demo_accounts", "security_events"];

Deno.test("each table of users is in the tables", async () => {
  await using app = await startExampleApp();
  const sql = `SELECT DISTINCT m.name FROM sqlite_master m
    JOIN pragma_table_info(m.name) c WHERE c.name = 'user_id'`;
  const found = await app.database(sql, []);
  assertEquals(
    found.map(({ name }) => String(name)).sort(),
    [
      "access_tokens",
      "api_keys",
      ...harmless,
      "identities",
      "passkeys",
    ].sort(),
  );
});
