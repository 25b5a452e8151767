import { createMemorySessionStore } from "@gatehouse/web/session";
import { assert, assertEquals } from "@std/assert";
import { createFactorApp, SECRET } from "../_second_factor_app.ts";

for (const method of ["disable", "remove"] as const) {
  Deno.test(`${method}() removes the second factor`, async () => {
    const app = createFactorApp();
    const { secret } = await app.enable();
    const pending = app.browser();
    await pending.login();
    if (method === "remove") await app.factors.remove(1);
    else assert(await app.own(1, (context) => app.factors.disable(context)));
    assertEquals(await app.factors.status(1), {
      totp: false,
      totpSince: undefined,
      recoveryCodes: 0,
    });
    assertEquals(await pending.send(await app.code(secret)), "missing");
    assert(await app.browser().login());
  });
}

Deno.test("reencrypt() moves a secret to the first of the keys", async () => {
  const store = createMemorySessionStore();
  const fresh = "second secret of the second factors in tests";
  const old = createFactorApp({ store });
  const { secret } = await old.enable();
  const both = createFactorApp({ store, secrets: [fresh, SECRET] });
  const browser = both.browser();
  await browser.login();
  assertEquals(await browser.send(await both.code(secret)), "ok");
  await both.factors.reencrypt(1);
  await both.factors.reencrypt(2);

  const later = createFactorApp({ store, secrets: [fresh] });
  const next = later.browser();
  await next.login();
  assertEquals(await next.send(await later.code(secret, 1)), "ok");
});
