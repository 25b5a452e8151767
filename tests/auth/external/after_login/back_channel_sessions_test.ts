// The sessions that a logout at the provider ends (OpenID Connect Back-Channel
// Logout 1.0, section 2.7).
import { createPortalAuthProvider } from "@gatehouse/web/auth";
import { createMemorySessionStore } from "@gatehouse/web/session";
import { assertEquals } from "@std/assert";
import { REDIRECT_URI } from "../../_login.ts";
import {
  endBySessionThenBySubject,
  ENDED,
  LogoutApp,
  usersOf,
} from "../../_provider_logout.ts";
import { TestProvider, USER } from "../../_test_provider.ts";

const USER_ID = `user of ${USER.sub}`;

Deno.test("backChannelLogout() ends the session of a sid, or all sessions of a sub (section 2.7)", async () => {
  const provider = await TestProvider.create();
  const store = createMemorySessionStore();
  assertEquals(await endBySessionThenBySubject(provider, store), [...ENDED]);
});

Deno.test("backChannelLogout() with sid and sub also ends a login without a sid, but no other ones", async () => {
  const app = new LogoutApp(
    await TestProvider.create(),
    createMemorySessionStore(),
  );
  const browsers = [
    await app.logIn(),
    await app.logIn({ sid: "s1" }),
    await app.logIn({ sid: "s2" }),
    await app.logIn({ sub: "someone else" }),
  ];
  assertEquals(await app.logOut({ sid: "s1", sub: USER.sub }), 200);
  assertEquals(
    await usersOf(...browsers),
    ["anonymous", "anonymous", USER_ID, "user of someone else"],
  );
});

Deno.test("backChannelLogout() with a sid only does not end a login without a sid", async () => {
  const app = new LogoutApp(
    await TestProvider.create(),
    createMemorySessionStore(),
  );
  const browser = await app.logIn();
  assertEquals(await app.logOut({ sid: "s1" }), 200);
  assertEquals(await usersOf(browser), [USER_ID]);
});

Deno.test("backChannelLogout() ends no other session if that of the sid has already ended", async () => {
  const app = new LogoutApp(
    await TestProvider.create(),
    createMemorySessionStore(),
  );
  const browser = await app.logIn({ sid: "s1" });
  assertEquals(await app.logOut({ sid: "gone", sub: USER.sub }), 200);
  assertEquals(await usersOf(browser), [USER_ID]);
});

Deno.test("backChannelLogout() ends logins without the provider only if findUserId returns the user", async () => {
  const provider = await TestProvider.create();
  const subjects: unknown[] = [];
  for (
    const [findUserId, expected] of [
      [undefined, USER_ID],
      [() => null, USER_ID],
      [({ subject }: { subject?: string }) => {
        subjects.push(subject);
        return `user of ${subject}`;
      }, "anonymous"],
    ] as const
  ) {
    const app = new LogoutApp(provider, createMemorySessionStore(), findUserId);
    const browsers = [
      await app.logIn({ sid: "s1" }),
      await app.logInByPassword(),
    ];
    await app.logOut({ sid: "s1", sub: USER.sub });
    assertEquals(await usersOf(...browsers), ["anonymous", expected]);
  }
  assertEquals(subjects, [USER.sub]);
});

Deno.test("backChannelLogout() does not end sessions of another issuer with the same sub and sid", async () => {
  const store = createMemorySessionStore();
  const one = new LogoutApp(await TestProvider.create(), store);
  const other = new LogoutApp(
    await TestProvider.create("https://other.example"),
    store,
  );
  const browser = await one.logIn({ sid: "s1" });
  assertEquals(await other.logOut({ sid: "s1" }), 200);
  assertEquals(await other.logOut({ sub: USER.sub }), 200);
  assertEquals(await usersOf(browser), [USER_ID]);
});

Deno.test("backChannelLogout() rejects another provider's token", async () => {
  const store = createMemorySessionStore();
  const one = new LogoutApp(await TestProvider.create(), store);
  const stranger = await TestProvider.create("https://other.example");
  const other = new LogoutApp(stranger, store);
  const browser = await one.logIn({ sid: "s1" });
  assertEquals(await one.send(await other.logoutToken({ sid: "s1" })), 400);
  assertEquals(await usersOf(browser), [USER_ID]);
});

Deno.test("backChannelLogout() accepts both spellings of an issuer", async () => {
  const provider = await TestProvider.create("https://accounts.google.com");
  const client = createPortalAuthProvider({
    clientId: provider.clientId,
    clientSecret: provider.clientSecret,
    redirectUri: REDIRECT_URI,
    fetch: provider.fetch,
  });
  const store = createMemorySessionStore();
  const app = new LogoutApp(provider, store, undefined, client);
  const spellings = ["https://accounts.google.com", "accounts.google.com"];
  for (const login of spellings) {
    for (const logout of spellings) {
      const browser = await app.logIn({ iss: login, sid: "s1" });
      assertEquals(await usersOf(browser), [USER_ID]);
      assertEquals(await app.logOut({ iss: logout, sid: "s1" }), 200);
      assertEquals(await usersOf(browser), ["anonymous"]);
    }
  }
});

for (const sid of ["", "ä", "a\u0000", "s".repeat(256), 1, null, ["s1"]]) {
  Deno.test(`backChannelLogout() ends a login with the sid ${JSON.stringify(sid).slice(0, 12)} by its subject`, async () => {
    const app = new LogoutApp(
      await TestProvider.create(),
      createMemorySessionStore(),
    );
    const browser = await app.logIn({ sid });
    assertEquals(await usersOf(browser), [USER_ID]);
    await app.logOut({ sub: USER.sub });
    assertEquals(await usersOf(browser), ["anonymous"]);
  });
}

for (const claims of [{}, { sid: "signed" }]) {
  Deno.test(`a sid of userinfo is ignored for a login with ${JSON.stringify(claims)}`, async () => {
    const app = new LogoutApp(
      await TestProvider.create(),
      createMemorySessionStore(),
    );
    const browser = await app.logIn(claims, { sid: "claimed" });
    await app.logOut({ sid: "claimed" });
    assertEquals(await usersOf(browser), [USER_ID]);
  });
}
