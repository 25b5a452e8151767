import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { type ExampleApp, PASSWORD, startExampleApp } from "./_example_app.ts";
import { until } from "../_wait.ts";

/** Returns the audit log once it has an event, each as one line. */
async function recordsWith(app: ExampleApp, last: string): Promise<string[]> {
  return await until(async () => {
    const rows = await app.database(
      "SELECT * FROM security_events ORDER BY id",
      [],
    );
    const lines = rows.map(({ action, outcome, reason, user_id, target_id }) =>
      [action, outcome, reason, user_id, target_id].join(" ").trim()
    );
    return lines.at(-1)?.startsWith(last) === true && lines;
  });
}

Deno.test("the audit log has logins, failures, keys, roles and passwords, and no secret", async () => {
  await using app = await startExampleApp();
  const admin = await app.loggedIn("admin");
  const user = await app.loggedIn("user");
  const secret = "hunter2 hunter2";
  await app.visitor().post("/login", { email: secret, password: secret });
  await user.post("/account/keys", { label: "Backup" });
  await user.post("/account/keys/1", { _method: "DELETE" });
  await admin.post("/admin/2", { _method: "PUT", role: "editor" });
  await user.post("/account/password", {
    _method: "PUT",
    currentPassword: PASSWORD,
    password: "another long one",
    confirmPassword: "another long one",
  });
  const lines = await recordsWith(app, "logout-everywhere");
  const shown = lines.filter((line) => !line.startsWith("login success"));
  assertEquals(shown, [
    "login failure wrong",
    "key-create success  2",
    "key-revoke success  2",
    "role-change success editor 1 2",
    "password-change success  2",
    "logout-everywhere success  2",
  ]);
  const rows = await app.database("SELECT * FROM security_events", []);
  assert(!JSON.stringify(rows).includes("hunter2"));
  for (const { address } of rows) assertEquals(address, "127.0.0.1");

  const { body, status } = await admin.get("/admin/audit");
  assertEquals(status, 200);
  assertStringIncludes(body, "<strong>role-change</strong>");
  assertStringIncludes(body, "from 127.0.0.1");
});

Deno.test("GET /admin/audit is for admins only", async () => {
  await using app = await startExampleApp();
  const user = await app.loggedIn("user");
  assertEquals((await user.get("/admin/audit")).status, 403);
  assertEquals((await app.visitor().get("/admin/audit")).status, 302);
  const lines = await recordsWith(app, "access-denied");
  assertEquals(lines.at(-1), "access-denied failure forbidden 1");
});

Deno.test("the audit log removes records after 90 days", async () => {
  await using app = await startExampleApp();
  await app.loggedIn("user");
  await recordsWith(app, "login");
  app.wait(91 * 24 * 60 * 60 * 1000);
  const admin = await app.loggedIn("admin");
  const lines = await recordsWith(app, "login success  2");
  assertEquals(lines.length, 1);
  assertEquals((await admin.get("/admin/audit")).status, 200);
});
