/** The response, the security events and the emails of each action. */
import { assertEquals } from "@std/assert";
import { type Browser, codeOf, PASSWORD, tokenOf } from "../_accounts.ts";
import { type App, email, start } from "./_actions.ts";

const OTHER = "another horse battery";
const NEW = "new@example.com";

/** An action, with what the user, the log and the owner of the account get. */
interface Row {
  readonly path: string;
  /** Prepares the request, and returns its values. */
  readonly values: object | ((app: App) => Promise<object>);
  /** The response: the next step and its path, or the status. */
  readonly result: string;
  readonly events?: readonly string[];
  /** The addresses and subjects of the emails. */
  readonly mails?: readonly string[];
  /** Returns the browser that sends the request, if it is not that of the user. */
  readonly from?: (app: App) => Browser;
}

const visitor = (app: App) => app.browser();

const rows: Record<string, Row> = {
  "a login": {
    path: "/login?returnTo=%2Ffresh",
    from: visitor,
    values: { email, password: PASSWORD },
    result: "done /fresh",
    events: ["login ADA"],
  },
  "a wrong password": {
    path: "/login",
    from: visitor,
    values: { email, password: OTHER },
    result: "422",
    events: ["login wrong undefined"],
  },
  "a login of a blocked account": {
    path: "/login",
    from: visitor,
    values: async ({ accounts, id }) => {
      await accounts.users.disable(id, { reason: "spam" });
      return { email, password: PASSWORD };
    },
    result: "403",
    events: ["login disabled ADA"],
  },
  "a logout": {
    path: "/login/out",
    values: {},
    result: "login /login",
    events: ["logout ADA"],
  },
  "a profile": {
    path: "/account",
    values: { name: "Ada L." },
    result: "done /account",
  },
  "a new password": {
    path: "/account/password",
    values: { password: OTHER },
    result: "done /account/password",
    events: ["password-change ADA", "login ADA"],
    mails: ["ada@example.com: Your password for Invoices was changed"],
  },
  "a confirmation": {
    path: "/account/confirm?returnTo=%2Ffresh",
    values: { password: PASSWORD },
    result: "done /fresh",
    events: ["login ADA"],
  },
  "a confirmation without a page": {
    path: "/account/confirm",
    values: { password: PASSWORD },
    result: "done /account",
    events: ["login ADA"],
  },
  "a start of a new address": {
    path: "/account/email",
    values: { email: NEW },
    result: "code /account/email/code",
    mails: ["new@example.com: Confirm your new address for Invoices"],
  },
  "a start of the same address": {
    path: "/account/email",
    values: { email },
    result: "code /account/email/code",
    mails: ["ada@example.com: Confirm your new address for Invoices"],
  },
  "a new address": {
    path: "/account/email/code",
    values: async ({ ada, lastMail }) => {
      await ada.post("/account/email", { email: NEW });
      return { code: codeOf(await lastMail(NEW)) };
    },
    result: "done /account/email",
    events: ["login ADA"],
    mails: ["ada@example.com: Your address for Invoices was changed"],
  },
  "a new address after a new password": {
    path: "/account/email/code",
    values: async ({ ada, lastMail }) => {
      await ada.post("/account/email", { email: NEW });
      const code = codeOf(await lastMail(NEW));
      await ada.post("/account/password", { password: OTHER });
      return { code };
    },
    result: "400",
    events: ["login email-expired undefined"],
  },
  "a link against a new address": {
    path: "/account/not-me",
    from: visitor,
    values: async ({ ada, lastMail }) => {
      await ada.post("/account/email", { email: NEW });
      const code = codeOf(await lastMail(NEW));
      await ada.post("/account/email/code", { code });
      return { token: tokenOf(await lastMail(email)) };
    },
    result: "login /login/reset",
    events: ["password-change not-me ADA"],
  },
  "a request for a reset": {
    path: "/login/reset?returnTo=%2Ffresh",
    from: visitor,
    values: { email },
    result: "sent /login/reset?returnTo=%2Ffresh",
    mails: ["ada@example.com: Choose a new password for Invoices"],
  },
  "a request for a reset of a blocked account": {
    path: "/login/reset",
    from: visitor,
    values: async ({ accounts, id }) => {
      await accounts.users.disable(id, { reason: "spam" });
      return { email };
    },
    result: "sent /login/reset",
  },
  "a reset": {
    path: "/login/reset/link",
    from: visitor,
    values: async ({ browser, lastMail }) => {
      await browser().post("/login/reset?returnTo=%2Ffresh", { email });
      const token = tokenOf(await lastMail(email));
      return { token, password: OTHER };
    },
    result: "login /login?returnTo=%2Ffresh",
    events: ["password-change reset ADA"],
    mails: ["ada@example.com: Your password for Invoices was reset"],
  },
  "a start of an app with a wrong code": {
    path: "/account/two-step",
    values: async ({ addApp }) => ({ ...(await addApp()).values, code: "1" }),
    result: "422",
  },
  "a start of an app with a forged setup": {
    path: "/account/two-step",
    values: async ({ addApp }) => ({ ...(await addApp()).values, setup: "x" }),
    result: "400",
  },
  "an authenticator app": {
    path: "/account/two-step",
    values: async ({ addApp }) => (await addApp()).values,
    result: "done /account/two-step",
    events: ["factor-add ADA", "login ADA", "login ADA"],
    mails: ["ada@example.com: Your security settings at Invoices were changed"],
  },
  "a login with an app": {
    path: "/login?returnTo=%2Ffresh",
    from: visitor,
    values: async ({ enableApp }) => {
      await enableApp();
      return { email, password: PASSWORD };
    },
    result: "second-factor /login/code?returnTo=%2Ffresh",
  },
  "a login with an app that leads to the home page": {
    path: "/login",
    from: visitor,
    values: async ({ enableApp }) => {
      await enableApp();
      return { email, password: PASSWORD };
    },
    result: "second-factor /login/code",
  },
  "a confirmation with an app": {
    path: "/account/confirm/code?returnTo=%2Ffresh",
    values: async ({ enableApp }) => {
      const nextCode = await enableApp();
      return { code: await nextCode() };
    },
    result: "done /fresh",
    events: ["login ADA"],
  },
  "new recovery codes": {
    path: "/account/two-step/codes",
    values: async ({ enableApp }) => {
      await enableApp();
      return {};
    },
    result: "done /account/two-step",
    events: ["login ADA"],
    mails: ["ada@example.com: Your security settings at Invoices were changed"],
  },
  "the end of an app": {
    path: "/account/two-step/remove",
    values: async ({ enableApp }) => {
      await enableApp();
      return {};
    },
    result: "done /account/two-step",
    events: ["login ADA", "factor-remove ADA"],
    mails: ["ada@example.com: Your security settings at Invoices were changed"],
  },
  "a passkey": {
    path: "/account/passkeys",
    values: ({ createPasskey }) => createPasskey(),
    result: "done /account/passkeys",
    events: ["factor-add ADA", "login ADA"],
    mails: [
      "ada@example.com: There is a new way into your account at Invoices",
    ],
  },
  "a forged passkey": {
    path: "/account/passkeys",
    values: { name: "Phone", passkey: {} },
    result: "422",
    events: ["factor-add response_malformed undefined"],
  },
  "a login with a passkey": {
    path: "/login/passkey?returnTo=%2Ffresh",
    from: (app) => app.ada,
    values: async ({ ada, addPasskey, provePasskey }) => {
      await addPasskey();
      await ada.post("/login/out");
      return await provePasskey(ada, "/login/passkey");
    },
    result: "done /fresh",
    events: ["login ADA"],
  },
  "a confirmation with a passkey": {
    path: "/account/confirm/passkey",
    values: async ({ ada, addPasskey, provePasskey }) => {
      await addPasskey();
      return await provePasskey(ada, "/account/confirm/passkey");
    },
    result: "done /account",
    events: ["login ADA"],
  },
  "a new name of a passkey": {
    path: "/account/passkeys/name",
    values: async ({ addPasskey }) => ({
      ...await addPasskey(),
      name: "Laptop",
    }),
    result: "done /account/passkeys",
  },
  "the end of a passkey": {
    path: "/account/passkeys/remove",
    values: ({ addPasskey }) => addPasskey(),
    result: "done /account/passkeys",
    events: ["login ADA", "factor-remove ADA"],
  },
  "the end of an unknown passkey": {
    path: "/account/passkeys/remove",
    values: { id: "x" },
    result: "422",
  },
  "the end of a passkey without an id": {
    path: "/account/passkeys/remove",
    values: {},
    result: "422",
  },
  "a login by email": {
    path: "/login/email?returnTo=%2Ffresh",
    from: visitor,
    values: { email },
    result: "code /login/email/code?returnTo=%2Ffresh",
    mails: ["ada@example.com: Log in to Invoices"],
  },
  "an API key": {
    path: "/account/keys",
    values: { name: "CI", scopes: ["notes:read"] },
    result: "done /account/keys",
    events: ["key-create ADA"],
    mails: [
      "ada@example.com: There is a new way into your account at Invoices",
    ],
  },
  "the end of an API key": {
    path: "/account/keys/remove",
    values: async ({ accounts, id }) => {
      const scopes = ["notes:read"] as never[];
      const issued = await accounts.keys.issue(id, { name: "CI", scopes });
      return { id: issued!.key.id };
    },
    result: "done /account/keys",
    events: ["key-revoke ADA"],
  },
  "the end of a linked login": {
    path: "/account/logins/remove",
    values: async ({ database, id, link }) => {
      await link();
      const [way] = await database.waysIn(id, "identity");
      return { id: way!.id };
    },
    result: "done /account/logins",
    events: ["factor-remove ADA", "login ADA"],
  },
  "the end of a passkey as a linked login": {
    path: "/account/logins/remove",
    values: ({ addPasskey }) => addPasskey(),
    result: "422",
  },
  "a link at an unknown provider": {
    path: "/account/logins",
    values: { provider: "unknown" },
    result: "404",
  },
  "the end of all sessions and apps": {
    path: "/account/sessions",
    values: async ({ apps, id }) => {
      apps.add(id);
      return await Promise.resolve({});
    },
    result: "done /account/sessions",
    events: ["logout-everywhere ADA", "key-revoke oauth ADA"],
  },
  "the end of all sessions without apps": {
    path: "/account/sessions",
    values: {},
    result: "done /account/sessions",
    events: ["logout-everywhere ADA"],
  },
  "the end of an unknown session": {
    path: "/account/sessions",
    values: { id: "x" },
    result: "422",
  },
  "the end of an app by its id": {
    path: "/account/apps",
    values: async ({ apps, id }) =>
      await Promise.resolve({ id: apps.add(id).id }),
    result: "done /account/apps",
    events: ["key-revoke oauth ADA"],
  },
  "the end of an unknown app": {
    path: "/account/apps",
    values: { id: "x" },
    result: "404",
  },
  "a deletion": {
    path: "/account/delete",
    values: {},
    result: "login /login",
    events: ["logout ADA"],
    mails: ["ada@example.com: Your account at Invoices will be deleted"],
  },
};

for (const [name, row] of Object.entries(rows)) {
  Deno.test(`${name} has its response, events and emails`, async () => {
    const app = await start();
    const { accounts, events, id } = app;
    const { from, path, values } = row;
    const given = typeof values === "function" ? await values(app) : values;
    await accounts.flush();
    const sent = accounts.mails.length;
    events.take();
    const response = await (from?.(app) ?? app.ada).send(path, given);
    const { location, next } = await response.json();
    const result = response.ok ? `${next} ${location}` : `${response.status}`;
    await accounts.flush();
    const mails = accounts.mails.slice(sent).map(({ subject, to }) =>
      `${to}: ${subject}`
    );
    const found = events.take().map((event) => event.replaceAll(id, "ADA"));
    assertEquals({ events: found, mails, result }, {
      events: row.events ?? [],
      mails: row.mails ?? [],
      result: row.result,
    });
  });
}
