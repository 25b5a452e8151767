// What happens when something else changes right in the middle of a request.
import { assertEquals } from "@std/assert";
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
  Deno.test(`POST ${path} opens nothing with a password that is changed meanwhile`, async () => {
    const { wrap, after } = meanwhile();
    await using app = await startExampleApp({ wrap });
    const thief = await register(app.visitor());
    const owner = app.visitor();
    const form = await resetForm(app, owner);
    // The old hash is read, and then the password changes.
    after("SELECT * FROM users WHERE email", async () => {
      assertEquals((await owner.post("/reset-password", form)).status, 302);
    });

    assertEquals((await thief.post(path, fields)).status, status);

    assertEquals((await thief.get("/account")).status, 302);
    const login = await owner.post("/login", { email, password: next });
    assertEquals(login.status, 302);
  });
}

Deno.test("a session that a reset ends makes no access token on its way out", async () => {
  const { wrap, after } = meanwhile();
  await using app = await startExampleApp({ wrap });
  const thief = await register(app.visitor());
  const owner = app.visitor();
  const form = await resetForm(app, owner);
  after("DELETE FROM access_tokens", async () => {
    const { status } = await thief.post("/account/tokens", { label: "x" });
    assertEquals(status, 302);
  });

  assertEquals((await owner.post("/reset-password", form)).status, 302);

  assertEquals(await app.database("SELECT * FROM access_tokens", []), []);
});

Deno.test("two admins at once, who demote each other, do not both succeed", async () => {
  const { wrap, after } = meanwhile();
  await using app = await startExampleApp({ wrap });
  const [one, other] = [
    await app.loggedIn("admin"),
    await app.loggedIn("admin"),
  ];
  const form = { _method: "PUT", role: "user" };
  // The one is an admin when they ask, and then no more.
  after("SELECT * FROM users WHERE id", async () => {
    assertEquals((await other.post("/admin/1", form)).status, 302);
  });

  assertEquals((await one.post("/admin/2", form)).status, 403);

  const roles = (await app.users.list()).map(({ role }) => role);
  assertEquals(roles, ["user", "admin"]);
});

Deno.test("two logins at once with an old hash, which both renew, both succeed", async () => {
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

/** The form that a link by e-mail leads to, filled in. */
async function resetForm(
  app: ExampleApp,
  owner: Visitor,
): Promise<Record<string, string>> {
  await owner.post("/forgot-password", { email });
  const [, token] = app.mails[0].text.match(/token=([\w-]+)/)!;
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

/** Has something happen, once, right after a statement was run. */
function meanwhile() {
  let due: { beginning: string; happens: () => Promise<void> } | undefined;
  return {
    after(beginning: string, happens: () => Promise<void>) {
      due = { beginning, happens };
    },
    wrap: (query: Query): Query => async (sql, params) => {
      const rows = await query(sql, params);
      if (due === undefined || !sql.startsWith(due.beginning)) return rows;
      const { happens } = due;
      due = undefined;
      await happens();
      return rows;
    },
  };
}
