/** Requests of a thief, while a reset by the owner ends all access. */
import { assert, assertEquals } from "@std/assert";
import {
  type AccountStore,
  createMemoryAccountStore,
} from "@gatehouse/web/accounts/store";
import { defineAccounts } from "@gatehouse/web/accounts/definition";
import { generateTOTP } from "@gatehouse/web/auth/second-factor";
import {
  createTestAuthenticator,
  createTestProvider,
} from "@gatehouse/web/testing";
import {
  type Browser,
  codeOf,
  exampleProviders,
  PASSWORD,
  startAccounts,
  tokenOf,
} from "./_accounts.ts";

const email = "ada@example.com";
const NEW = "another horse battery";
const OTHER = "the password of a thief";
const START = Date.UTC(2026, 10, 27);

/** Calls something right before the call of a store with a number. */
class Interruption {
  calls = 0;
  #due = Infinity;
  #happens: (() => Promise<void>) | undefined;

  /** Starts to count the calls. */
  start(due: number, happens: () => Promise<void>): void {
    this.calls = 0;
    this.#due = due;
    this.#happens = happens;
  }

  /** Returns a store whose calls count. */
  wrap<Store extends object>(store: Store): Store {
    const values = "values" in store ? this.wrap(store.values as object) : null;
    return new Proxy(store, {
      get: (target, name) => {
        const member = Reflect.get(target, name, target);
        if (name === "values") return values;
        if (typeof member !== "function") return member;
        // It starts at a random time, and no request waits for it.
        if (name === "sweep") return member.bind(target);
        return async (...args: unknown[]) => {
          await this.#count();
          return await Reflect.apply(member, target, args);
        };
      },
    });
  }

  async #count(): Promise<void> {
    if (this.calls++ !== this.#due) return;
    const happens = this.#happens!;
    this.#due = Infinity;
    await happens();
  }
}

/** An account with a thief who is logged in, on two machines with one database. */
type Account = Awaited<ReturnType<typeof start>>;

/** Starts the machines: the calls of the first one can be interrupted. */
async function start() {
  let time = START;
  const now = () => time;
  const database: AccountStore = createMemoryAccountStore({ now });
  const interruption = new Interruption();
  const provider = createTestProvider({ now });
  const rule = { required: false };
  const options = {
    now,
    definition: defineAccounts({ scopes: ["notes:read"] }),
    providers: exampleProviders(provider),
    secondFactorRequired: () => rule.required,
  };
  const wrapped = interruption.wrap(database);
  const first = startAccounts({ ...options, database: wrapped });
  const second = startAccounts({ ...options, database });
  const thief = await first.registered();
  const { id } = (await database.findByEmail(email))!;

  /** A recovery code of the owner. */
  const recovery = { code: "" };

  /** Returns the form that sets up an authenticator app, and its codes. */
  async function setUpForm(path = "/account/two-step") {
    const page = await (await thief.get(path)).text();
    const [, setup = ""] = /name="setup" value="([^"]+)"/.exec(page)!;
    const [, key = ""] = /class="key">([^<]+)</.exec(page)!;
    const code = () => {
      time += 31_000;
      return generateTOTP(key.replaceAll(" ", ""), { time });
    };
    return { form: { setup, code: await code() }, code };
  }

  /** Sets up an app, and returns its codes. */
  async function setUpApp() {
    const { form, code } = await setUpForm();
    const response = await thief.post("/account/two-step", form);
    assertEquals(response.status, 200);
    const page = await response.text();
    [, recovery.code = ""] = /<li>([\w-]+)<\/li>/.exec(page)!;
    return code;
  }

  /**
   * Asks for a reset, and returns the function that uses its link. It returns
   * `false` if the link has ended, because the thief's change came first.
   */
  async function prepareReset(): Promise<() => Promise<boolean>> {
    const owner = second.browser();
    await owner.post("/login/reset", { email });
    const token = tokenOf(await second.lastMail(email));
    return async () => {
      const values = { token, password: NEW };
      const { status } = await owner.post("/login/reset/link", values);
      return status === 303;
    };
  }

  return {
    database,
    first,
    id,
    interruption,
    prepareReset,
    provider,
    recovery,
    rule,
    second,
    setUpApp,
    setUpForm,
    thief,
  };
}

/** A request that the thief sends while the owner resets the password. */
interface Write {
  /** Prepares the request, and returns the function that sends it. */
  readonly prepare: (account: Account) => Promise<() => Promise<unknown>>;
  /** Returns `true` if its change is in the account. */
  readonly isStored: (account: Account, password: string) => Promise<boolean>;
  /**
   * Part of the notice to the owner. A reset keeps what came before it, so the
   * owner must get an email about it.
   */
  readonly notice?: string;
}

/** Posts a form of the thief. */
const post =
  (path: string, values: Record<string, string> = {}) =>
  async ({ thief }: Account) =>
    await Promise.resolve(() => thief.post(path, values));

/** Returns `true` if there is a way in of a kind. */
const hasWay = (kind: string) => async ({ database, id }: Account) =>
  (await database.waysIn(id, kind)).length > 0;

/** Sends the password, and returns the next step. */
async function sendPassword(browser: Browser, password: string) {
  const response = await browser.send("/login", { email, password });
  return (await response.json()).next;
}

/** Returns `true` if a new browser needs a code. */
const needsCode = async ({ second }: Account, password: string) =>
  await sendPassword(second.browser(), password) === "second-factor";

/** Creates a passkey of the thief, and returns the functions that send it. */
async function preparePasskey(thief: Browser, path = "/account/passkeys") {
  const origin = "https://test.example";
  const authenticator = createTestAuthenticator({ origin });
  const optionsOf = async (path: string) =>
    await (await thief.post(`${path}/options`)).json();
  const created = await authenticator.register(
    await optionsOf(path),
  );
  const passkey = JSON.stringify(created);
  const add = () => thief.post(path, { name: "x", passkey });
  /** Prepares a proof with the passkey. */
  const prepareProof = async (path: string) => {
    const proof = await authenticator.authenticate(await optionsOf(path));
    return () => thief.post(path, { passkey: JSON.stringify(proof) });
  };
  return { add, prepareProof };
}

const isIn = ({ thief }: Account) => thief.isLoggedIn();

const writes: Record<string, Write> = {
  "a passkey": {
    prepare: async ({ thief }) => (await preparePasskey(thief)).add,
    isStored: hasWay("passkey"),
  },
  "an API key": {
    prepare: post("/account/keys", {
      "name": "x",
      "scope-notes:read": "on",
    }),
    isStored: hasWay("key"),
  },
  "a linked login": {
    async prepare({ provider, thief }) {
      const values = { provider: "example" };
      const { headers } = await thief.post("/account/logins", values);
      const next = headers.get("Refresh")!.replace("0; url=", "");
      const callback = provider.authorize(next, { user: { sub: "eve" } });
      return () => thief.client.fetch(callback);
    },
    isStored: hasWay("identity"),
  },
  "a new password": {
    prepare: post("/account/password", { password: OTHER }),
    isStored: async ({ second }) =>
      await sendPassword(second.browser(), OTHER) !== undefined,
  },
  "a new address": {
    async prepare({ first, thief }) {
      const address = "eve@example.com";
      await thief.post("/account/email", { email: address });
      const code = codeOf(await first.lastMail(address));
      return () => thief.post("/account/email/code", { code });
    },
    isStored: async ({ database }) =>
      await database.findByEmail("eve@example.com") !== null,
  },
  "a login with the password": {
    async prepare({ thief }) {
      await thief.post("/login/out");
      return () => thief.post("/login", { email, password: PASSWORD });
    },
    isStored: isIn,
  },
  "a login by email": {
    async prepare({ first, thief }) {
      await thief.post("/login/out");
      await thief.post("/login/email", { email });
      const code = codeOf(await first.lastMail(email));
      return () => thief.post("/login/email/code", { code });
    },
    isStored: isIn,
  },
  "a login with a code": {
    async prepare({ setUpApp, thief }) {
      const nextCode = await setUpApp();
      await thief.post("/login/out");
      await sendPassword(thief, PASSWORD);
      const code = await nextCode();
      return () => thief.post("/login/code", { code });
    },
    isStored: isIn,
  },
  "a remembered browser": {
    async prepare({ setUpApp, thief }) {
      const nextCode = await setUpApp();
      await thief.post("/login/out");
      await sendPassword(thief, PASSWORD);
      const values = { code: await nextCode(), remember: "on" };
      return () => thief.post("/login/code", values);
    },
    isStored: async ({ thief }, password) => {
      await thief.post("/login/out");
      return await sendPassword(thief, password) === "done";
    },
  },
  "a confirmation": {
    prepare: post("/account/confirm", { password: PASSWORD }),
    isStored: isIn,
  },
  "a confirmation with a code": {
    async prepare({ setUpApp, thief }) {
      const nextCode = await setUpApp();
      const code = await nextCode();
      return () => thief.post("/account/confirm/code", { code });
    },
    isStored: isIn,
  },
  "a login with a passkey": {
    async prepare({ thief }) {
      const { add, prepareProof } = await preparePasskey(thief);
      await add();
      await thief.post("/login/out");
      return await prepareProof("/login/passkey");
    },
    isStored: isIn,
  },
  "a confirmation with a passkey": {
    async prepare({ thief }) {
      const { add, prepareProof } = await preparePasskey(thief);
      await add();
      return await prepareProof("/account/confirm/passkey");
    },
    isStored: isIn,
  },
  "new recovery codes": {
    async prepare({ setUpApp, thief }) {
      await setUpApp();
      return () => thief.send("/account/two-step/codes", {});
    },
    isStored: async ({ recovery: { code }, second }, password) => {
      const browser = second.browser();
      await sendPassword(browser, password);
      await browser.post("/login/code", { code });
      return !await browser.isLoggedIn();
    },
    notice: "new recovery codes",
  },
  "an authenticator app": {
    async prepare({ setUpForm, thief }) {
      const { form } = await setUpForm();
      return () => thief.post("/account/two-step", form);
    },
    isStored: needsCode,
    notice: "new authenticator app",
  },
  "an app that a login must set up": {
    async prepare({ rule, setUpForm, thief }) {
      rule.required = true;
      await thief.post("/login/out");
      await sendPassword(thief, PASSWORD);
      const { form } = await setUpForm("/login/two-step");
      return () => thief.post("/login/two-step", form);
    },
    isStored: needsCode,
    notice: "new authenticator app",
  },
  "a passkey that a login must set up": {
    async prepare({ rule, thief }) {
      rule.required = true;
      await thief.post("/login/out");
      await sendPassword(thief, PASSWORD);
      return (await preparePasskey(thief, "/login/two-step/passkey")).add;
    },
    isStored: hasWay("passkey"),
    notice: "new passkey",
  },
  "a passkey that a login must prove": {
    async prepare({ rule, thief }) {
      const { add, prepareProof } = await preparePasskey(thief);
      await add();
      rule.required = true;
      await thief.post("/login/out");
      await sendPassword(thief, PASSWORD);
      return await prepareProof("/login/two-step/passkey");
    },
    isStored: isIn,
  },
  "a removal of the app": {
    async prepare({ setUpApp, thief }) {
      await setUpApp();
      return () => thief.post("/account/two-step/remove");
    },
    isStored: async (account, password) => !await needsCode(account, password),
    notice: "was turned off",
  },
};

async function flush({ first, second }: Account): Promise<void> {
  await Promise.all([first.accounts.flush(), second.accounts.flush()]);
}

/**
 * Sends a request with a reset before one of its calls of the store. Returns
 * `null` if the reset did not come in between.
 */
async function attack(write: Write, due: number) {
  const account = await start();
  const { database, first, id, interruption, second, thief } = account;
  const send = await write.prepare(account);
  const reset = await account.prepareReset();
  const sent = first.accounts.mails.length;
  let isReset = false;
  interruption.start(due, async () => void (isReset = await reset()));
  await send();
  await flush(account);
  if (!isReset) return null;
  const isStored = await write.isStored(account, NEW);
  assertEquals(await thief.isLoggedIn(), false);
  assertEquals((await database.find(id))!.email, email);
  assert(await sendPassword(second.browser(), NEW) !== undefined);
  await flush(account);
  const notices = first.accounts.mails.slice(sent)
    .filter(({ to }) => to === email).map(({ text }) => text);
  return { isStored, notices };
}

for (const [name, write] of Object.entries(writes)) {
  Deno.test(`${name} works without a reset`, async () => {
    const account = await start();
    const send = await write.prepare(account);
    await send();
    assert(await write.isStored(account, PASSWORD));
    await flush(account);
  });

  Deno.test(`${name} does not survive a reset at any moment${write.notice === undefined ? "" : ", unless the owner gets an email about it"}`, async () => {
    let due = 0;
    for (;; due++) {
      const attacked = await attack(write, due);
      if (attacked === null) break;
      if (!attacked.isStored) continue;
      const { notice } = write;
      const moment = `before call ${due}`;
      assert(notice !== undefined, moment);
      assert(attacked.notices.some((text) => text.includes(notice)), moment);
    }
    // The guard reads the session and the account before anything else.
    assert(due > 2);
  });
}

/** Routes that need no row, and why. */
const others: Readonly<Record<string, readonly string[]>> = {
  "they show something, or start a proof that another route takes": [
    "data",
    "passkeyConfirmOptions",
    "passkeyLoginOptions",
    "passkeyOptions",
    "passkeyScript",
    "secondFactorPasskeyOptions",
    "providerConfirm",
    "providerLogin",
    "connected",
    "security",
    "session",
    "style",
  ],
  "they end access": [
    "apps",
    "browserRemoval",
    "keyRemoval",
    "loginRemoval",
    "logout",
    "notMe",
    "passkeyRemoval",
    "remove",
    "sessions",
  ],
  "they are for visitors, or prove the address like a row": [
    "emailLink",
    "emailLoginLink",
    "providerEmail",
    "register",
    "registerCode",
    "registerLink",
    "reset",
    "resetLink",
  ],
  "they change no way in": [
    "invitation",
    "invite",
    "member",
    "memberRemoval",
    "passkeyName",
    "profile",
    "team",
    "teams",
    "withdrawal",
  ],
  "they have a row": [
    "codeConfirm",
    "confirm",
    "email",
    "emailCode",
    "emailLogin",
    "emailLoginCode",
    "keys",
    "login",
    "logins",
    "passkeyConfirm",
    "passkeyLogin",
    "passkeys",
    "password",
    "providerCallback",
    "recoveryCodes",
    "secondFactor",
    "secondFactorPasskey",
    "secondFactorSetup",
    "twoStep",
    "twoStepRemoval",
  ],
};

Deno.test("each route of accounts has a row of requests during a reset, or a reason", () => {
  const { accounts } = startAccounts();
  assertEquals(
    Object.values(others).flat().sort(),
    Object.keys(accounts.routes).sort(),
  );
});
