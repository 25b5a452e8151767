// Concurrent changes in the middle of a request.
import { assertEquals, assertFalse } from "@std/assert";
import { hashPassword } from "@gatehouse/web/auth/password";
import type { Query } from "../../examples/app/data/database.ts";
import {
  type ExampleApp,
  PASSWORD,
  startExampleApp,
  type Visitor,
} from "./_example_app.ts";

const email = "ada@example.com";
const next = "another long one";

const logins: readonly {
  readonly path: string;
  readonly fields: Record<string, string>;
  readonly status: number;
}[] = [
  { path: "/login", fields: { email, password: PASSWORD }, status: 422 },
  { path: "/account/confirm", fields: { password: PASSWORD }, status: 302 },
];

for (const { path, fields, status } of logins) {
  Deno.test(`POST ${path} rejects a password that changes during the request`, async () => {
    const { wrap, after } = meanwhile();
    await using app = await startExampleApp({ wrap });
    const thief = await register(app.visitor());
    const owner = app.visitor();
    const form = await resetForm(app, owner);
    // The password changes after the old hash was read.
    after("SELECT * FROM users WHERE email", async () => {
      assertEquals((await owner.post("/reset-password", form)).status, 302);
    });

    assertEquals((await thief.post(path, fields)).status, status);

    assertEquals((await thief.get("/account")).status, 302);
    const login = await owner.post("/login", { email, password: next });
    assertEquals(login.status, 302);
  });
}

Deno.test("a session that a reset ends cannot create an access token in a pending request", async () => {
  const { wrap, after } = meanwhile();
  await using app = await startExampleApp({ wrap });
  const thief = await register(app.visitor());
  const owner = app.visitor();
  const form = await resetForm(app, owner);
  after("DELETE FROM access_tokens", async () => {
    const { location } = await thief.post("/account/tokens", { label: "x" });
    assertEquals(location, "/login");
  });

  assertEquals((await owner.post("/reset-password", form)).status, 302);

  assertEquals(await app.database("SELECT * FROM access_tokens", []), []);
});

const changes: readonly {
  readonly what: string;
  readonly change: (app: ExampleApp, owner: Visitor) => Promise<void>;
}[] = [
  {
    what: "a change of password",
    async change(_app, owner) {
      const { status } = await owner.post("/account/password", {
        _method: "PUT",
        currentPassword: PASSWORD,
        password: next,
        confirmPassword: next,
      });
      assertEquals(status, 302);
    },
  },
  {
    what: "a reset",
    async change(app, owner) {
      const form = await resetForm(app, owner);
      const { status } = await owner.post("/reset-password", form);
      assertEquals(status, 302);
    },
  },
  {
    what: "an admin's logout",
    async change(app) {
      const admin = await app.loggedIn("admin");
      const path = "/admin/1/sessions";
      const { status } = await admin.post(path, { _method: "DELETE" });
      assertEquals(status, 302);
    },
  },
];

for (const { what, change } of changes) {
  Deno.test(`an access token created during ${what} does not work`, async () => {
    const { wrap, before } = meanwhile();
    await using app = await startExampleApp({ wrap });
    const owner = await register(app.visitor());
    const thief = app.visitor();
    await thief.post("/login", { email, password: PASSWORD });
    // All access ends after the guard has accepted the request.
    before("INSERT INTO access_tokens", () => change(app, owner));

    const { headers, location } = await thief
      .post("/account/tokens", { label: "x" });

    assertEquals(location, "/login");
    const cookies = headers.getSetCookie();
    assertFalse(cookies.some((line) => line.startsWith("newToken=")));
    assertEquals(await app.database("SELECT * FROM access_tokens", []), []);
  });
}

for (
  const { what, statement, attack } of [
    {
      what: "an API key",
      statement: "INSERT INTO api_keys",
      attack: (thief: Visitor) => thief.post("/account/keys", { label: "x" }),
    },
    {
      what: "a linked login",
      statement: "INSERT INTO identities",
      async attack(thief: Visitor) {
        const start = await thief.post("/account/logins/demo");
        return await thief.logInExternally("demo-grace", start);
      },
    },
  ]
) {
  Deno.test(`${what} created during a reset does not work`, async () => {
    const { wrap, before } = meanwhile();
    await using app = await startExampleApp({ wrap });
    const thief = await register(app.visitor());
    const owner = app.visitor();
    const form = await resetForm(app, owner);
    before(statement, async () => {
      assertEquals((await owner.post("/reset-password", form)).status, 302);
    });

    const { body } = await attack(thief);

    assertFalse(body.includes('id="secret"'));
    assertEquals(await app.database("SELECT * FROM api_keys", []), []);
    assertEquals(await app.database("SELECT * FROM identities", []), []);
  });
}

Deno.test("two admins who demote each other at once do not both succeed", async () => {
  const { wrap, after } = meanwhile();
  await using app = await startExampleApp({ wrap });
  const [one, other] = [
    await app.loggedIn("admin"),
    await app.loggedIn("admin"),
  ];
  const form = { _method: "PUT", role: "user" };
  // The first one is an admin at the start of the request, but not at its end.
  after("SELECT * FROM users WHERE id", async () => {
    assertEquals((await other.post("/admin/1", form)).status, 302);
  });

  assertEquals((await one.post("/admin/2", form)).status, 403);

  const roles = (await app.users.list()).map(({ role }) => role);
  assertEquals(roles, ["user", "admin"]);
});

Deno.test("two concurrent logins that both renew an old hash succeed", async () => {
  await using app = await startExampleApp();
  const passwordHash = await hashPassword(PASSWORD, { memory: 8192 });
  await app.users.create({ name: "Ada", email, passwordHash });

  const answers = await Promise.all(
    [app.visitor(), app.visitor()].map((visitor) =>
      visitor.post("/login", { email, password: PASSWORD })
    ),
  );

  assertEquals(answers.map(({ status }) => status), [302, 302]);
});

/** Submits the form of the emailed link. */
async function resetForm(
  app: ExampleApp,
  owner: Visitor,
): Promise<Record<string, string>> {
  await owner.post("/forgot-password", { email });
  const [, token] = app.mails.at(-1)!.text.match(/token=([\w-]+)/)!;
  return { token, password: next, confirmPassword: next };
}

async function register(visitor: Visitor): Promise<Visitor> {
  await visitor.post("/register", {
    name: "Ada",
    email,
    password: PASSWORD,
    confirmPassword: PASSWORD,
  });
  return visitor;
}

/** Runs something once, right before or after a statement. */
function meanwhile() {
  interface Due {
    readonly when: "before" | "after";
    readonly beginning: string;
    readonly happens: () => Promise<void>;
  }
  let due: Due | undefined;
  const happen = async (when: Due["when"], sql: string) => {
    if (due?.when !== when || !sql.startsWith(due.beginning)) return;
    const { happens } = due;
    due = undefined;
    await happens();
  };
  return {
    before(beginning: string, happens: () => Promise<void>) {
      due = { when: "before", beginning, happens };
    },
    after(beginning: string, happens: () => Promise<void>) {
      due = { when: "after", beginning, happens };
    },
    wrap: (query: Query): Query => async (sql, params) => {
      await happen("before", sql);
      const rows = await query(sql, params);
      await happen("after", sql);
      return rows;
    },
  };
}
