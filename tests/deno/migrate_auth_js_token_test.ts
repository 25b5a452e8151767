/** Live sessions in encrypted cookies that Auth.js and NextAuth 4 have created. */
import { assert, assertEquals, assertThrows } from "@std/assert";
import { Auth } from "npm:@auth/core@0.41.3";
import { encode } from "npm:@auth/core@0.41.3/jwt";
import Credentials from "npm:@auth/core@0.41.3/providers/credentials";
import {
  adoptSessions,
  type AuthJSTokenOptions,
  importAccounts,
  takeAuthJSToken,
} from "@gatehouse/web/accounts/migrate";
import { createMemoryAccountStore } from "@gatehouse/web/accounts/store";
import { Auth as User } from "@gatehouse/web/auth-middleware";
import { createRouter } from "@gatehouse/web/fetch-router";
import { createTestClient } from "@gatehouse/web/testing";
import { startAccounts } from "../accounts/_accounts.ts";

const secret = "AUTH_SECRET of the old application";
const COOKIE = "authjs.session-token";

/** Logs a user in with Auth.js, and returns the cookies of its session. */
async function logIn(
  origin: string,
  filler = "",
): Promise<Map<string, string>> {
  const config = {
    secret,
    trustHost: true,
    session: { strategy: "jwt" as const },
    providers: [Credentials({ authorize: () => ({ id: "u1", name: "Ada" }) })],
    callbacks: {
      jwt: ({ token }: { token: object }) => ({ ...token, filler }),
    },
  };
  const cookies = new Map<string, string>();
  const ask = async (path: string, body?: URLSearchParams) => {
    const Cookie = [...cookies].map((pair) => pair.join("=")).join("; ");
    const response = await Auth(
      new Request(`${origin}/auth${path}`, {
        method: body ? "POST" : "GET",
        headers: { Cookie },
        ...body && { body },
      }),
      config,
    );
    for (const line of response.headers.getSetCookie()) {
      const [, name = "", value = ""] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
      cookies.set(name, value);
    }
    return response;
  };
  const { csrfToken } = await (await ask("/csrf")).json();
  await ask("/callback/credentials", new URLSearchParams({ csrfToken }));
  return new Map([...cookies].filter(([name]) => name.includes(COOKIE)));
}

/** Starts accounts with the imported user, which adopt sessions. */
async function start(options: Partial<AuthJSTokenOptions> = {}) {
  const store = createMemoryAccountStore();
  const ada = { id: "u1", email: "ada@example.com", name: "Ada", createdAt: 0 };
  await importAccounts([ada], { store });
  const { accounts } = startAccounts({ database: store });
  const [protection, session, auth] = accounts.middleware;
  const take = takeAuthJSToken(store.values, { secret, ...options });
  const router = createRouter({
    middleware: [protection, session, adoptSessions({ store, take }), auth],
  });
  router.get("/", (context) => new Response(context.get(User)?.name ?? "?"));
  router.get("/fresh", accounts.requireFresh, () => new Response("fresh"));
  /** Asks for the user of a new browser with old cookies. */
  const ask = async (
    cookies: Iterable<readonly [string, string]>,
    path = "/",
  ): Promise<string> => {
    const Cookie = [...cookies].map((pair) => pair.join("=")).join("; ");
    const { fetch } = createTestClient(router);
    const response = await fetch(path, { headers: { Cookie } });
    const text = await response.text();
    return response.headers.get("Location") ?? text;
  };
  return { ask, store };
}

for (const origin of ["http://localhost:3000", "https://example.com"]) {
  for (
    const [name, filler] of [["one cookie", ""], ["chunks", "x".repeat(6_000)]]
  ) {
    Deno.test(`takeAuthJSToken() takes a session of ${origin} in ${name}, once`, async () => {
      const cookies = await logIn(origin, filler);
      assertEquals(cookies.size > 1, name === "chunks");
      const isSecure = [...cookies.keys()].every((one) =>
        one.startsWith("__Secure-")
      );
      assertEquals(isSecure, origin.startsWith("https:"));
      const { ask } = await start();
      const answers = await Promise.all(
        Array.from({ length: 20 }, () => ask(cookies)),
      );
      assertEquals(answers.filter((one) => one === "Ada").length, 1);
      assertEquals(await ask(cookies), "?");
    });
  }
}

Deno.test("takeAuthJSToken() reads at most eight chunks of a cookie", async () => {
  const token = await encode({ token: { sub: "u1" }, secret, salt: COOKIE });
  for (const [count, name] of [[9, "?"], [8, "Ada"]] as const) {
    const size = Math.ceil(token.length / count);
    const chunks = Array.from(
      { length: count },
      (_, n) =>
        [`${COOKIE}.${n}`, token.slice(n * size, (n + 1) * size)] as const,
    );
    const { ask } = await start();
    assertEquals(await ask(chunks), name);
  }
});

Deno.test("takeAuthJSToken() gives a login that is not fresh", async () => {
  const { ask } = await start();
  const cookies = await logIn("https://example.com");
  assertEquals(
    await ask(cookies, "/fresh"),
    "/account/confirm?returnTo=%2Ffresh",
  );
});

Deno.test("takeAuthJSToken() tries all secrets, and finds a session behind planted cookies", async () => {
  const [[name, value] = ["", ""]] = await logIn("https://example.com");
  const { ask } = await start({ secret: ["a newer secret", secret] });
  assertEquals(await ask([[name, "planted"], [name, value]]), "Ada");
  const other = await start({ secret: "another secret" });
  assertEquals(await other.ask([[name, value]]), "?");
});

/** A cookie of next-auth 4.24.15, created with `encode` of `next-auth/jwt`. */
const NEXT_AUTH = {
  secret: "the secret of NextAuth, 32 characters",
  token:
    "eyJhbGciOiJkaXIiLCJlbmMiOiJBMjU2R0NNIn0..NrtVsPKgsUZvb0Ji.vwl6F6CWon_4dQDXSFwmcTP6xbQc4fEHBsOA9zfbCQWKjNdR1novsffbgOLmhjGq2q4HPcyFAV49cDoEZryZMWC-wuV1mwPLoWpJSNCuEoyoWnefvV9ZkY5WZhJgvxeZJDm2ElvnBKRcmJSJWh8e_nyy30TcplX9eGhynVEexZi73w.m4OuUUztwwoP2-2e3jUfOA",
  issuedAt: 1_795_915_215_000,
};

Deno.test("takeAuthJSToken() takes a session of NextAuth 4 until it expires", async () => {
  const cookie = "next-auth.session-token";
  const { issuedAt, token } = NEXT_AUTH;
  const options = { secret: NEXT_AUTH.secret, cookie };
  const month = 30 * 86_400_000;
  for (const [age, name] of [[month - 1, "Ada"], [month, "?"]] as const) {
    const { ask } = await start({ ...options, now: () => issuedAt + age });
    assertEquals(await ask([[`__Secure-${cookie}`, token]]), name);
  }
});

Deno.test("takeAuthJSToken() reads the id from another claim, which must be a string", async () => {
  const encoded = (token: object) => encode({ token, secret, salt: COOKIE });
  const options = {
    userId: ({ uid }: Readonly<Record<string, unknown>>) => uid,
  };
  for (
    const [claims, name] of [
      [{ uid: "u1" }, "Ada"],
      [{ sub: "u1" }, "?"],
      [{ uid: 1 }, "?"],
      [{ uid: "unknown" }, "?"],
    ] as const
  ) {
    const { ask } = await start(options);
    assertEquals(await ask([[COOKIE, await encoded(claims)]]), name);
  }
});

Deno.test("takeAuthJSToken() refuses forged, expired and foreign cookies", async () => {
  const claims = { sub: "u1", name: "Ada" };
  const token = await encode({ token: claims, secret, salt: COOKIE });
  const [head = "", , iv = "", text = "", tag = ""] = token.split(".");
  const flip = (part: string) => (part[0] === "A" ? "B" : "A") + part.slice(1);
  const base64Url = (value: unknown) =>
    btoa(JSON.stringify(value)).replaceAll("=", "");
  const header = { alg: "dir", enc: "A256CBC-HS512" };
  const expired = await encode({
    token: claims,
    secret,
    salt: COOKIE,
    maxAge: -1,
  });
  const forged: Record<string, string> = {
    "an empty value": "",
    "another secret": await encode({
      token: claims,
      secret: "x",
      salt: COOKIE,
    }),
    "the cookie of another purpose": await encode({
      token: claims,
      secret,
      salt: "authjs.pkce.code_verifier",
    }),
    "an expired session": expired,
    "another text": [head, "", iv, flip(text), tag].join("."),
    "another tag": [head, "", iv, text, flip(tag)].join("."),
    "no tag": [head, "", iv, text, ""].join("."),
    "another vector": [head, "", flip(iv), text, tag].join("."),
    "another header": [base64Url(header), "", iv, text, tag].join("."),
    "an encrypted key": [head, "AAAA", iv, text, tag].join("."),
    "a smaller key": [
      base64Url({ ...header, enc: "A128GCM" }),
      "",
      iv,
      text,
      tag,
    ].join("."),
    "a wrapped key": [
      base64Url({ ...header, alg: "PBES2-HS256+A128KW", p2c: 1e9 }),
      "AAAA",
      iv,
      text,
      tag,
    ].join("."),
    "no signature": `${base64Url({ alg: "none" })}.${base64Url(claims)}.`,
    "other characters": "%00\u00e9.%",
    "an endless value": "a".repeat(40_000),
  };
  const { ask } = await start();
  for (const [name, value] of Object.entries(forged)) {
    assertEquals(await ask([[COOKIE, value]]), "?", name);
  }
  const salted = await encode({
    token: claims,
    secret,
    salt: `__Secure-${COOKIE}`,
  });
  assertEquals(await ask([[COOKIE, salted]]), "?");
  assertEquals(await ask([[`${COOKIE}.1`, token]]), "?");
  assertEquals(await ask([[COOKIE, token]]), "Ada");
});

Deno.test("takeAuthJSToken() takes no other spelling of a cookie again", async () => {
  const token = await encode({ token: { sub: "u1" }, secret, salt: COOKIE });
  const { ask } = await start();
  assertEquals(await ask([[COOKIE, token]]), "Ada");
  // The last character of a tag of 32 bytes has two bits without a meaning.
  const spellings = [..."AQgwBCDEFGHIJKLMNOPRSTUVWXYZabcdefhijklmnopqrstuvxyz"]
    .map((last) => token.slice(0, -1) + last);
  for (const spelling of [...spellings, `${token}=`, ` ${token}`]) {
    assertEquals(await ask([[COOKIE, spelling]]), "?", spelling.slice(-3));
  }
});

Deno.test("takeAuthJSToken() needs a secret, and a store that tells who was first", () => {
  const { values } = createMemoryAccountStore();
  for (const secret of ["", [], ["a", ""]]) {
    assertThrows(
      () => takeAuthJSToken(values, { secret }),
      TypeError,
      "secret",
    );
  }
  assertThrows(
    () =>
      takeAuthJSToken({ ...values, consistency: "eventual" }, { secret: "x" }),
    TypeError,
    "first",
  );
  assert(takeAuthJSToken(values, { secret: "x" }));
});
