// An old login needs confirmation before sensitive changes (step-up).
import { assertEquals } from "@std/assert";
import {
  type Answer,
  createSecret,
  type ExampleApp,
  PASSWORD,
  startExampleApp,
  type Visitor,
} from "./_example_app.ts";

const MINUTE = 60_000;

interface Form {
  readonly does: string;
  readonly path: string;
  readonly fields: Record<string, string>;
}

const forms: readonly Form[] = [
  { does: "links a login", path: "/account/logins/demo", fields: {} },
  {
    does: "unlinks a login",
    path: "/account/logins/1",
    fields: { _method: "DELETE" },
  },
  { does: "creates an API key", path: "/account/keys", fields: { label: "x" } },
  {
    does: "creates an access token",
    path: "/account/tokens",
    fields: { label: "x" },
  },
  {
    does: "promotes another user to admin",
    path: "/admin/1",
    fields: { _method: "PUT", role: "admin" },
  },
  {
    does: "ends all sessions of another user",
    path: "/admin/1/sessions",
    fields: { _method: "DELETE" },
  },
];

for (const { does, path, fields } of forms) {
  Deno.test(`no user ${does} with a stale login before a confirmation`, async () => {
    await using app = await startExampleApp();
    const { admin, user } = await adminAndUser(app);
    const index = path.replace(/\/(?:demo|1|1\/sessions)$/, "");
    app.wait(6 * MINUTE);

    const stale = await admin.post(path, fields);

    const confirm = `/account/confirm?returnTo=${encodeURIComponent(index)}`;
    assertEquals([stale.status, stale.location], [302, confirm]);
    assertEquals(await rights(app), ["user"]);
    assertEquals((await user.get("/account")).status, 200);
    // Reading needs no confirmation.
    assertEquals((await admin.get(index)).status, 200);

    const confirmed = await admin.post(confirm, { password: PASSWORD });
    assertEquals([confirmed.status, confirmed.location], [302, index]);
    const { location } = await admin.post(path, fields);
    assertEquals(location?.startsWith("/account/confirm") ?? false, false);
  });
}

Deno.test("revoking a stolen secret needs no confirmation", async () => {
  await using app = await startExampleApp();
  const { admin } = await adminAndUser(app);
  await createSecret(admin, "/account/tokens");
  const { body } = await admin.get("/account/tokens");
  const [, path] = body.match(/action="(\/account\/tokens\/\d+)"/)!;
  app.wait(6 * MINUTE);
  const { location } = await admin.post(path, { _method: "DELETE" });
  assertEquals(location, "/account/tokens");
});

Deno.test("a user without a password confirms at the provider and returns to the same page", async () => {
  await using app = await startExampleApp();
  const visitor = app.visitor();
  await visitor.logInExternally("demo-ada");
  app.wait(6 * MINUTE);

  const { location } = await visitor.post("/account/keys", { label: "x" });
  const { body } = await visitor.get(location!);
  const [, href] = body.match(/href="(\/auth\/demo\?[^"]+)"/)!;
  const start = await visitor.get(href.replaceAll("&amp;", "&"));
  // A provider that remembers them would redirect back without a prompt.
  assertEquals(maxAgeOf(start), "0");
  const { searchParams } = new URL(start.location!);
  assertEquals(searchParams.get("prompt"), "login");
  const back = await visitor.logInExternally("demo-ada", start);

  assertEquals(back.location, "/account/keys");
  await createSecret(visitor, "/account/keys");
});

Deno.test("the provider of a login decides when it prompts", async () => {
  await using app = await startExampleApp();
  assertEquals(maxAgeOf(await app.visitor().get("/auth/demo")), null);
});

/** Reads the maximum age of a login at the provider, in seconds. */
function maxAgeOf({ location }: Answer): string | null {
  return new URL(location!).searchParams.get("max_age");
}

/** Creates an admin and a user. The user is the first one, with the id 1. */
async function adminAndUser(
  app: ExampleApp,
): Promise<{ admin: Visitor; user: Visitor }> {
  const user = await app.loggedIn();
  return { user, admin: await app.loggedIn("admin") };
}

/** Reads the role of the user, the secrets and the logins. */
async function rights(app: ExampleApp): Promise<unknown[]> {
  const rows = async (table: string) =>
    await app.database(`SELECT * FROM ${table}`, []);
  return [
    (await app.users.find(1))?.role,
    ...await rows("api_keys"),
    ...await rows("access_tokens"),
    ...await rows("identities"),
  ];
}
