/** Links and steps work until the end of their lifetime, and no longer. */
import { assert, assertEquals } from "@std/assert";
import { defineAccounts } from "@gatehouse/web/accounts/definition";
import { type Browser, PASSWORD, tokenOf } from "./_accounts.ts";
import { email, type HeldApp, sendPassword, startHeld } from "./_ways_in.ts";

const MINUTE = 60_000;
const DAY = 86_400_000;

/** Something that works for a time. */
interface Row {
  readonly lifetime: number;
  /** Creates it, and returns the function that uses it. */
  readonly begin: (app: App) => Promise<() => Promise<Response>>;
}

type App = HeldApp & { readonly hold: { isOn: boolean } };

/** Starts accounts whose sessions live longer than each of them. */
function start(): App {
  const hold = { isOn: false };
  const app = startHeld({ required: false }, {
    sessions: { timeouts: { anonymous: 30 * DAY, absolute: 30 * DAY } },
    hooks: {
      beforeLogin: () => hold.isOn ? { step: "/terms" } : undefined,
    },
    registration: "open",
  });
  app.router.post("/terms", (context) => app.accounts.finishStep(context));
  return { ...app, hold };
}

/** Changes the address, and returns the token of the email to the earlier one. */
async function changeAddress(app: App, ada: Browser): Promise<string> {
  const address = "new@example.com";
  await ada.post("/account/email", { email: address });
  const token = tokenOf(await app.lastMail(address));
  await ada.post("/account/email/link", { token });
  return tokenOf(await app.lastMail(email));
}

const rows: Record<string, Row> = {
  "a link against a new address": {
    lifetime: 7 * DAY,
    async begin(app) {
      const token = await changeAddress(app, await app.registered());
      return () => app.browser().send("/account/not-me", { token });
    },
  },
  "an invitation": {
    lifetime: 7 * DAY,
    async begin({ accounts, browser, lastMail }) {
      await accounts.users.invite({ email });
      const token = tokenOf(await lastMail(email));
      const values = { token, name: "Ada", password: PASSWORD };
      return () => browser().send("/register", values);
    },
  },
  "the link of a reset": {
    lifetime: 10 * MINUTE,
    async begin({ browser, lastMail, registered }) {
      await registered();
      await browser().post("/login/reset", { email });
      const token = tokenOf(await lastMail(email));
      const values = { token, password: "another horse battery" };
      return () => browser().send("/login/reset/link", values);
    },
  },
  "an own step": {
    lifetime: 10 * MINUTE,
    async begin(app) {
      await app.registered();
      app.hold.isOn = true;
      const ada = app.browser();
      await sendPassword(ada);
      app.hold.isOn = false;
      return async () => {
        const response = await ada.send("/terms", {});
        const { next } = await response.json();
        return new Response(null, { status: next === "done" ? 200 : 400 });
      };
    },
  },
  "an identity that waits for an address": {
    lifetime: 10 * MINUTE,
    async begin({ browser, provider }) {
      const ada = browser();
      const user = { sub: "a1", name: "Ada" };
      await provider.logIn(ada.client, "/login/with/example", { user });
      return () => ada.send("/login/address", { email });
    },
  },
};

for (const [name, { begin, lifetime }] of Object.entries(rows)) {
  Deno.test(`${name} works for ${lifetime / MINUTE} minutes`, async () => {
    for (const isLate of [false, true]) {
      const app = start();
      const use = await begin(app);
      app.wait(isLate ? lifetime : lifetime - 1);
      const response = await use();
      assertEquals(response.status, isLate ? 400 : 200);
      assert(response.body === null || await response.text() !== "");
    }
  });
}

Deno.test("an API key has 600 requests a minute, unless the application says otherwise", async () => {
  const { accounts, router } = startHeld({ required: false }, {
    definition: defineAccounts({ scopes: ["read"] }) as never,
  });
  router.get("/api", accounts.requireScope("read" as never), () => {
    return new Response("notes");
  });
  const { id } = (await accounts.users.create({ email, name: "Ada" }))!;
  const key = { name: "CI", scopes: ["read"] as never[] };
  const { token } = (await accounts.keys.issue(id, key))!;
  assert(token.startsWith("key_"), token.slice(0, 4));
  const statuses = new Map<number, number>();
  for (let count = 0; count < 602; count++) {
    const headers = { Authorization: `Bearer ${token}` };
    const { status } = await router.fetch("https://test.example/api", {
      headers,
    });
    statuses.set(status, (statuses.get(status) ?? 0) + 1);
  }
  assertEquals([...statuses], [[200, 600], [429, 2]]);
});
