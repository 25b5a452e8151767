/** Changes that lose a race with another request change and report nothing. */
import { assertEquals } from "@std/assert";
import { codeOf, PASSWORD } from "../_accounts.ts";
import { type App, email, start } from "./_actions.ts";

interface Row {
  readonly path: string;
  readonly values: object | ((app: App) => Promise<object>);
}

const rows: Record<string, Row> = {
  "a new password": {
    path: "/account/password",
    values: { password: "another horse battery" },
  },
  "a new address": {
    path: "/account/email/code",
    async values({ ada, lastMail }) {
      await ada.post("/account/email", { email: "new@example.com" });
      return { code: codeOf(await lastMail("new@example.com")) };
    },
  },
  "the end of a passkey": {
    path: "/account/passkeys/remove",
    values: ({ addPasskey }) => addPasskey(),
  },
  "the end of a linked login": {
    path: "/account/logins/remove",
    async values({ database, id, link }) {
      await link();
      const [way] = await database.waysIn(id, "identity");
      return { id: way!.id };
    },
  },
  "the end of an app": {
    path: "/account/two-step/remove",
    async values({ enableApp }) {
      await enableApp();
      return {};
    },
  },
  "an API key": {
    path: "/account/keys",
    values: { name: "CI", scopes: ["notes:read"] },
  },
  "a deletion": { path: "/account/delete", values: {} },
};

for (const [name, { path, values }] of Object.entries(rows)) {
  Deno.test(`${name} that loses a race gets a 409, and changes nothing`, async () => {
    const app = await start();
    const { accounts, ada, database, id } = app;
    const given = typeof values === "function" ? await values(app) : values;
    await accounts.flush();
    const sent = accounts.mails.length;
    app.events.take();
    const stored = async () => ({
      ...await database.find(id),
      version: 0,
      ways: await database.waysIn(id),
    });
    const before = await stored();
    const change = database.change.bind(database);
    const addWayIn = database.addWayIn.bind(database);
    // Another request ends all access right before the change.
    const lose = async () => {
      Object.assign(database, { addWayIn, change });
      await change(id, (await database.find(id))!.version, {});
    };
    database.change = async (...values) => {
      await lose();
      return await change(...values);
    };
    database.addWayIn = async (...values) => {
      await lose();
      return await addWayIn(...values);
    };
    const response = await ada.send(path, given);
    assertEquals(response.status, 409);
    await accounts.flush();
    assertEquals(accounts.mails.length, sent);
    assertEquals(app.events.take(), []);
    assertEquals(await stored(), before);
    assertEquals(await ada.isLoggedIn(), false);
    const login = await app.browser().send("/login", {
      email,
      password: PASSWORD,
    });
    assertEquals(login.ok, true);
  });
}
