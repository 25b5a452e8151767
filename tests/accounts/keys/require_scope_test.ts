import { assertEquals, assertStringIncludes } from "@std/assert";
import { openapi } from "@gatehouse/web/openapi";
import { KEY, start } from "./_keys.ts";

Deno.test("a key opens only routes that name a scope", async () => {
  const { accounts, call, user } = await start({});
  await accounts.users.setRole(user.id, "admin");
  const { token } = (await accounts.keys.issue(user.id, KEY))!;
  assertEquals((await call(token)).status, 200);
  assertEquals((await call(token, "/notes", "POST")).status, 403);
  assertEquals((await call(token, "/")).status, 401);
  assertEquals((await call(token, "/admin")).status, 401);
  assertEquals(await (await call(token, "/anyone")).json(), null);
  for (const path of ["/account", "/account/keys", "/account/password"]) {
    assertEquals((await call(token, path)).status, 401, path);
    assertEquals((await call(token, path, "POST")).status, 401, path);
  }
});

Deno.test("a login in a browser has all scopes", async () => {
  const { ada } = await start({});
  assertEquals((await ada.get("/notes")).status, 200);
  assertEquals((await ada.post("/notes")).status, 200);
});

const malformed = ["", "x", "acme_", "acme_" + "a".repeat(49), "é", "a b"];

for (const token of malformed) {
  Deno.test(`the key ${JSON.stringify(token)} gets a 401`, async () => {
    const { router } = await start({});
    const headers = new Headers();
    try {
      headers.set("Authorization", `Bearer ${token}`);
    } catch {
      return; // No client can send it.
    }
    const response = await router.fetch("https://test.example/notes", {
      headers,
    });
    assertEquals(response.status, 401);
    assertStringIncludes(response.headers.get("WWW-Authenticate")!, "Bearer");
  });
}

Deno.test("OpenAPI shows the scopes and the schemes of requireScope()", async () => {
  const { router } = await start({});
  const document = JSON.parse(JSON.stringify(
    openapi(router, { info: { title: "Notes", version: "1" } }).document,
  ));
  assertEquals(document.paths["/notes"].post.security, [
    { session: ["notes:write"] },
    { keys: ["notes:write"] },
  ]);
});
