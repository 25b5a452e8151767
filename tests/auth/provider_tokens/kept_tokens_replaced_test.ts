// Tokens that the tokens of a later login replace.
import type { ExternalAuthSuccess } from "@gatehouse/web/auth";
import { assertEquals, assertNotEquals } from "@std/assert";
import { seenBy, TokenApp } from "../_token_app.ts";

for (const owner of ["session", "user"] as const) {
  Deno.test(`save() revokes the tokens of another account that it replaces (owner: ${owner})`, async () => {
    const app = await TokenApp.create({ keep: { owner } });
    const browser = await app.logIn();
    const first = await seenBy(browser);
    await app.logInAgain(browser, { sub: "another" }, "/connect");
    assertNotEquals(await seenBy(browser), first);
    assertEquals(app.revoked.length, 2);
    assertEquals(app.revoked.includes(first), true);
  });

  // Revoking them would end the tokens of the new login at many providers.
  Deno.test(`save() does not revoke the tokens of the same account that it replaces (owner: ${owner})`, async () => {
    const app = await TokenApp.create({ keep: { owner } });
    const browser = await app.logIn();
    const first = await seenBy(browser);
    await app.logInAgain(browser, {}, "/connect");
    assertNotEquals(await seenBy(browser), first);
    assertEquals(app.revoked, []);
  });
}

Deno.test("save() revokes no tokens if it does not know both accounts", async () => {
  const app = await TokenApp.create();
  const { issuer } = app.provider;
  app.first.router.post("/save/:subject", async (context) => {
    const { subject } = context.params;
    const tokens = {
      accessToken: `token of ${subject}`,
      issuer,
      ...subject !== "unknown" && { subject },
    };
    const result = { issuer, tokens } as ExternalAuthSuccess<unknown>;
    await app.first.tokens.save(context, result);
    return new Response();
  });
  const browser = await app.logIn();
  const save = (subject: string) =>
    browser.fetch(`/save/${subject}`, { method: "POST" });
  for (const subject of ["unknown", "ada", "unknown", "eve"]) {
    await save(subject);
    assertEquals(await seenBy(browser), `token of ${subject}`);
  }
  assertEquals(app.revoked, []);
  await save("ada");
  assertEquals(app.revoked, ["token of eve"]);
});

Deno.test("save() with revoke: false does not revoke the tokens of another account", async () => {
  const app = await TokenApp.create({ keep: { revoke: false } });
  const browser = await app.logIn();
  await app.logInAgain(browser, { sub: "another" }, "/connect");
  assertEquals(app.revoked, []);
});

Deno.test("save() succeeds if the provider can't revoke the tokens that it replaces", async () => {
  const app = await TokenApp.create();
  const browser = await app.logIn();
  app.provider.faults = {
    respond: ({ path }) =>
      path === "/revoke" ? new Response(null, { status: 503 }) : undefined,
  };
  const first = await seenBy(browser);
  await app.logInAgain(browser, { sub: "another" }, "/connect");
  assertNotEquals(await seenBy(browser), first);
});
