import { createEmailLogin } from "@gatehouse/web/auth/email-login";
import { createRouter } from "@gatehouse/web/fetch-router";
import { createMemorySessionStore } from "@gatehouse/web/session";
import { session } from "@gatehouse/web/session-middleware";
import { assert, assertEquals, assertFalse } from "@std/assert";
import { ADA, createEmailApp, SECRET } from "../_email_app.ts";
import { unlimited } from "../_second_factor_app.ts";

Deno.test("createEmailLogin() keeps no token, no code and no address in the store (ASVS 6.5.2)", async () => {
  const values: string[] = [];
  const memory = createMemorySessionStore();
  const app = createEmailApp({
    store: {
      get: (key) => memory.get(key),
      put(key, value, options) {
        values.push(key, value);
        return memory.put(key, value, options);
      },
      delete: (key) => memory.delete(key),
    },
  });
  const browser = app.browser();
  await browser.ask();
  const { code, token } = app.outbox[0]!;
  const stored = values.join("\n");
  assertFalse(stored.includes(token));
  assertFalse(stored.includes(`"${code}"`));
  assertFalse(stored.includes(ADA));
});

Deno.test("createEmailLogin() reads emails of an older secret", async () => {
  const store = createMemorySessionStore();
  const sessionStore = createMemorySessionStore();
  const fresh = "second secret of the email logins in tests";
  const old = createEmailLogin({ store, secrets: [SECRET] });
  const both = createEmailLogin({ store, secrets: [fresh, SECRET] });
  const without = createEmailLogin({ store, secrets: [fresh] });
  const router = createRouter({
    middleware: [session({ store: sessionStore })],
  });
  router.get("/", async (context) => {
    const mail = await old.start(context, { email: ADA, account: 7 });
    assertFalse((await without.verifyLink(context, mail?.token)).ok);
    assert((await both.verifyLink(context, mail?.token)).ok);
    return new Response("done");
  });
  const response = await router.fetch(new Request("https://test.example/"), {
    remoteAddr: { hostname: "192.0.2.1" },
  });
  assertEquals(await response.text(), "done");
});

for (const char of ["a", "語", "\u0001", "\ud800"]) {
  Deno.test(`start() stores 2,000 characters of data: ${JSON.stringify(char)}`, async () => {
    const data = char.repeat(2_000);
    const emailLogin = createEmailLogin({
      store: createMemorySessionStore(),
      secrets: [SECRET],
      mailThrottle: unlimited,
    });
    const router = createRouter({ middleware: [session()] });
    router.get("/", async (context) => {
      const email = `ada@${char.repeat(316)}`;
      const mail = await emailLogin.start(context, { email, account: 7, data });
      const result = await emailLogin.verifyLink(context, mail?.token);
      return Response.json(result.ok && result.data === data);
    });
    const response = await router.fetch("https://example.com/");
    assert(await response.json());
  });
}
