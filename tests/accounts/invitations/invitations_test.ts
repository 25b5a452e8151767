/** Registration by invitation only, or not at all: each promise as an attack. */
import {
  assert,
  assertEquals,
  assertRejects,
  assertStringIncludes,
} from "@std/assert";
import type { AccountsOptions, Mail } from "@gatehouse/web/accounts";
import { defineAccounts } from "@gatehouse/web/accounts/definition";
import {
  type AccountStore,
  createMemoryAccountStore,
} from "@gatehouse/web/accounts/store";
import {
  createTestProvider,
  type TestProviderUser,
} from "@gatehouse/web/testing";
import {
  type Browser,
  codeOf,
  exampleProviders,
  PASSWORD,
  startAccounts,
  tokenOf,
} from "../_accounts.ts";

const email = "ada@example.com";
const WEEK = 7 * 86_400_000;
const definition = defineAccounts({ roles: ["user", "editor", "admin"] });
const provider = createTestProvider();

/** Starts accounts with a provider. */
function start(
  registration: AccountsOptions["registration"],
  database: AccountStore = createMemoryAccountStore(),
) {
  return startAccounts({
    registration,
    database,
    definition: definition as never,
    providers: exampleProviders(provider),
  });
}

type App = ReturnType<typeof start>;

async function countOf({ accounts }: App): Promise<number> {
  return (await accounts.users.list()).users.length;
}

/** Invites an address, and returns the token of the link. */
async function invite(app: App, options: object = {}): Promise<string> {
  const invitation = { email, ...options };
  await app.accounts.users.invite(invitation);
  return tokenOf(await app.lastMail(invitation.email));
}

const accept = (browser: Browser, token: string, values: object = {}) =>
  browser.post("/register", {
    token,
    name: "Ada",
    password: PASSWORD,
    ...values,
  });

/** Returns the parts of a response that may reveal an account. */
async function answerOf(response: Response, address: string) {
  const text = (await response.text()).replaceAll(address, "");
  return [response.status, response.headers.get("Location"), text];
}

const registrations: readonly (readonly [path: string, values: object])[] = [
  ["/register", { email, name: "Eve", password: PASSWORD }],
  ["/register", { email, name: "Eve", password: PASSWORD, token: "" }],
  ["/register", { email, name: "Eve", password: PASSWORD, token: "x" }],
  ["/register/code", { code: "000000" }],
  ["/register/link", { token: "x".repeat(22) }],
  ["/login/address", { email }],
  ["/login/email", { email }],
  ["/login/reset", { email }],
  ["/login/passkey", { passkey: "{}" }],
];

Deno.test("registration invited: a provider that verifies the address accepts its invitation, once", async () => {
  const app = start("invited");
  const { accounts } = app;
  const logIn = async (browser: Browser, user: TestProviderUser) => {
    await provider.logIn(browser.client, "/login/with/example", { user });
    return await browser.isLoggedIn();
  };
  const ada = { sub: "i1", name: "Ada", email, email_verified: true };
  await accounts.users.invite({ email, role: "admin" });
  const others = [
    { ...ada, sub: "i2", email: "eve@example.com" },
    { ...ada, sub: "i3", email_verified: false },
    { sub: "i4", name: "Eve", email },
    { sub: "i5", name: "Eve" },
  ];
  for (const other of others) {
    assertEquals(await logIn(app.browser(), other), false, other.sub);
  }
  assertEquals((await accounts.users.invitations()).length, 1);
  assertEquals(await logIn(app.browser(), ada), true);
  const user = await accounts.users.findByEmail(email);
  assertEquals([user?.role, user?.emailVerified], ["admin", true]);
  assertEquals(await accounts.users.invitations(), []);
  // A link that was sent before is used up, too.
  await accounts.users.remove(user!.id);
  assertEquals(await logIn(app.browser(), { ...ada, sub: "i6" }), false);
  assertEquals(await countOf(app), 0);
});

Deno.test("registration invited: a provider accepts no invitation that has ended", async () => {
  const app = start("invited");
  const { accounts } = app;
  const logIn = async (sub: string) => {
    const eve = app.browser();
    const user = { sub, name: "Eve", email, email_verified: true };
    await provider.logIn(eve.client, "/login/with/example", { user });
    return await eve.isLoggedIn();
  };
  await accounts.users.invite({ email });
  await accounts.users.withdrawInvitation(email);
  assertEquals(await logIn("w1"), false);
  await accounts.users.invite({ email });
  accounts.wait(7 * 86_400_000);
  assertEquals(await logIn("w2"), false);
  assertEquals(await countOf(app), 0);
});

for (const registration of ["closed", "invited"] as const) {
  Deno.test(`registration ${registration}: no request creates an account or a code for one`, async () => {
    const app = start(registration);
    const known = "known@example.com";
    await app.accounts.users.create({ email: known, name: "Known" });
    for (const [path, values] of registrations) {
      for (const isScript of [false, true]) {
        const ask = (browser: Browser, address: string) => {
          const given = {
            ...values,
            ..."email" in values && { email: address },
          };
          return isScript
            ? browser.send(path, given)
            : browser.post(path, given as Record<string, string>);
        };
        const first = await ask(app.browser(), email);
        const second = await ask(app.browser(), known);
        assertEquals(
          await answerOf(first, email),
          await answerOf(second, known),
          path,
        );
      }
    }
    await app.accounts.flush();
    const mails = app.accounts.mails.filter(({ to }) => to === email);
    assertEquals(mails, []);
    assertEquals(await countOf(app), 1);
  });

  Deno.test(`registration ${registration}: a login at a provider creates no account`, async () => {
    const app = start(registration);
    for (const isProved of [true, false]) {
      const eve = app.browser();
      await provider.logIn(eve.client, "/login/with/example", {
        user: { sub: "e1", name: "Eve", email, email_verified: isProved },
      });
      assertEquals(await eve.isLoggedIn(), false);
      const step = await eve.post("/login/address", { email });
      assertEquals(step.status, 404);
    }
    assertEquals(await countOf(app), 0);
  });

  Deno.test(`registration ${registration}: a registration that began before ends`, async () => {
    const database = createMemoryAccountStore();
    const before = start("open", database);
    const after = start(registration, database);
    const cookies = async (run: (browser: Browser) => Promise<unknown>) => {
      const [old, now] = [before.browser(), after.browser()];
      await run(old);
      for (const [name, value] of old.client.cookies) {
        (now.client.cookies as Map<string, string>).set(name, value);
      }
      return now;
    };
    const values = { email, name: "Eve", password: PASSWORD };
    const eve = await cookies((browser) => browser.post("/register", values));
    const code = codeOf(await before.lastMail(email));
    const token = tokenOf(await before.lastMail(email));
    assertEquals((await eve.post("/register/code", { code })).status, 404);
    assertEquals((await eve.post("/register/link", { token })).status, 404);
    assertEquals((await accept(eve, token)).status >= 400, true);
    const mallory = await cookies((browser) =>
      provider.logIn(browser.client, "/login/with/example", {
        user: { sub: "m1", name: "Mallory" },
      })
    );
    const step = await mallory.post("/login/address", { email });
    assertEquals(step.status, 404);
    assertEquals(await countOf(after), 0);
  });

  Deno.test(`registration ${registration}: the login page has no link to it`, async () => {
    const { browser } = start(registration);
    const page = await (await browser().get("/login")).text();
    assertEquals(page.includes('href="/register'), false);
  });
}

Deno.test("registration closed: its pages do not exist, and links of invitations end", async () => {
  const database = createMemoryAccountStore();
  const token = await invite(start("invited", database));
  const app = start("closed", database);
  for (const path of ["/register", `/register?token=${token}`]) {
    assertEquals((await app.browser().get(path)).status, 404);
  }
  assertEquals((await accept(app.browser(), token)).status, 404);
  await assertRejects(
    () => app.accounts.users.invite({ email }),
    TypeError,
    "registration",
  );
  assertEquals(await countOf(app), 0);
  await app.accounts.users.create({ email, name: "Ada" });
  assertEquals(await countOf(app), 1);
});

Deno.test("registration invited: the page says so in both languages", async () => {
  const { browser } = start("invited");
  for (
    const [language, text] of [
      ["en", "by invitation"],
      ["de", "mit einer Einladung"],
    ]
  ) {
    const page = await browser().get("/register", {
      "Accept-Language": language!,
    });
    assertEquals(page.status, 200);
    const content = await page.text();
    assertStringIncludes(content, text!);
    assertEquals(content.includes('name="password"'), false);
  }
});

Deno.test("an invitation registers its address, whatever the form says, once", async () => {
  const app = start("invited");
  const token = await invite(app, { role: "editor" });
  const ada = app.browser();
  const page = await (await ada.get(`/register?token=${token}`)).text();
  assertStringIncludes(page, email);
  assertEquals(page.includes('name="email"'), false);
  const values = {
    email: "eve@example.com",
    role: "admin",
    emailVerified: "true",
  };
  const response = await accept(ada, token, values);
  assertEquals(response.status, 303);
  assertEquals(await ada.isLoggedIn(), true);
  const user = await app.accounts.users.findByEmail(email);
  assertEquals(
    [user?.role, user?.emailVerified, user?.name],
    ["editor", true, "Ada"],
  );
  assertEquals(await countOf(app), 1);
  await app.accounts.users.remove(user!.id);
  assertEquals((await accept(app.browser(), token)).status, 400);
  assertEquals(await countOf(app), 0);
});

Deno.test("of 15 browsers that accept an invitation at once, one registers", async () => {
  const app = start("invited");
  const token = await invite(app);
  const statuses = await Promise.all(
    Array.from({ length: 15 }, async () => {
      return (await accept(app.browser(), token)).status;
    }),
  );
  assertEquals(statuses.filter((status) => status === 303).length, 1);
  assertEquals(statuses.filter((status) => status >= 500), []);
  assertEquals(await countOf(app), 1);
});

Deno.test("a mistake in the form leaves the invitation, for scripts too", async () => {
  const app = start("invited");
  const token = await invite(app);
  const ada = app.browser();
  for (
    const values of [{ name: "" }, { password: "x" }, { password: "password" }]
  ) {
    const response = await accept(ada, token, values);
    assertEquals(response.status, 422);
    const page = await response.text();
    assertStringIncludes(page, `value="${token}"`);
    assertStringIncludes(page, email);
  }
  const done = await ada.send("/register", {
    token,
    name: "Ada",
    password: PASSWORD,
  });
  assertEquals((await done.json()).next, "done");
  assertEquals(await ada.isLoggedIn(), true);
});

const ends: readonly (readonly [
  name: string,
  end: (app: App, token: string) => unknown,
])[] = [
  ["expires", ({ accounts }) => accounts.wait(WEEK)],
  ["is withdrawn", ({ accounts }) => accounts.users.withdrawInvitation(email)],
  [
    "is withdrawn in another spelling",
    ({ accounts }) => accounts.users.withdrawInvitation(" ADA@example.com "),
  ],
  ["is sent again", (app) => invite(app)],
  [
    "belongs to an address with an account",
    ({ accounts }) => accounts.users.create({ email, name: "Other" }),
  ],
];

for (const [name, end] of ends) {
  Deno.test(`an invitation that ${name} creates no account`, async () => {
    const app = start("invited");
    const token = await invite(app);
    await end(app, token);
    const count = await countOf(app);
    const response = await accept(app.browser(), token);
    assertEquals(response.status, 400);
    assertStringIncludes(await response.text(), "no longer works");
    assertEquals(await countOf(app), count);
    const open = await app.accounts.users.invitations();
    assertEquals(open.length, name === "is sent again" ? 1 : 0);
  });
}

Deno.test("no other token opens an invitation, and each response is the same", async () => {
  const app = start("invited");
  const token = await invite(app);
  const other = await invite(app, { email: "bob@example.com" });
  await app.accounts.users.create({ email: "eve@example.com", name: "Eve" });
  await app.browser().post("/login/reset", { email: "eve@example.com" });
  const reset = tokenOf(await app.lastMail("eve@example.com"));
  const [address = "", secret = ""] = token.split(".");
  const [, otherSecret = ""] = other.split(".");
  const pages = new Set<string>();
  for (
    const guess of [
      `${address}.${otherSecret}`,
      `${address}.`,
      `${address}.${secret.slice(1)}`,
      address,
      secret,
      reset,
      `${"x".repeat(43)}.${secret}`,
      "__proto__",
      "\0",
      "x".repeat(10_000),
    ]
  ) {
    const path = `/register?token=${encodeURIComponent(guess)}`;
    const page = await app.browser().get(path);
    assertEquals(page.status, 400, guess);
    pages.add(await page.text());
    assertEquals((await accept(app.browser(), guess)).status, 400, guess);
  }
  assertEquals(pages.size, 1);
  for (const token of [7, null, ["x"], {}]) {
    const values = { token, name: "Eve", password: PASSWORD };
    const { status } = await app.browser().send("/register", values);
    assert(status >= 400 && status < 500, `${status}`);
  }
  assertEquals(await countOf(app), 1);
  assertEquals((await accept(app.browser(), token)).status, 303);
});

Deno.test("users.invite() refuses an account, a malformed address and an unknown role", async () => {
  const { accounts } = start("invited");
  await accounts.users.create({ email, name: "Ada" });
  assertEquals(
    await accounts.users.invite({ email: "ADA@example.com" }),
    false,
  );
  assertEquals(accounts.mails, []);
  await assertRejects(
    () => accounts.users.invite({ email: "ada" }),
    TypeError,
    "email",
  );
  await assertRejects(
    () => accounts.users.invite({ email: "b@x.org", role: "owner" as never }),
    TypeError,
    "owner",
  );
});

Deno.test("users.invite() works while registration is open", async () => {
  const app = start("open");
  const token = await invite(app);
  const ada = app.browser();
  assertEquals((await accept(ada, token)).status, 303);
  assertEquals(await ada.isLoggedIn(), true);
});

Deno.test("the email of an invitation has no address, role or name, and leads to our origin", async () => {
  const app = start("invited");
  await app.accounts.users.invite({ email, role: "editor", language: "de" });
  const mail: Mail = await app.lastMail(email);
  assertStringIncludes(mail.subject, "eingeladen");
  for (const part of [mail.subject, mail.text, mail.html]) {
    assertEquals(/ada|editor/i.test(part), false, part);
  }
  for (const [url] of `${mail.text} ${mail.html}`.matchAll(/https?:\S+/g)) {
    assert(url.startsWith("https://test.example/register?token="), url);
  }
});
