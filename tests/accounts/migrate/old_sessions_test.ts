/** Sessions in the tables of other systems, each taken once. */
import { assertEquals, assertThrows } from "@std/assert";
import {
  takeAuthJSSession,
  takeBetterAuthSession,
  takeLuciaSession,
  type TakeOldSession,
} from "@gatehouse/web/accounts/migrate";
import { queryOf, type Row } from "./_old_database.ts";

const NOW = Date.UTC(2026, 10, 28, 12);
const now = () => NOW;

/** A session of Auth.js that expires in a millisecond. */
const SESSION: Row = {
  sessionToken: "s1",
  userId: "ada",
  expires: NOW + 1,
  createdAt: NOW - 60_000,
  impersonatedBy: null,
};

const LOGIN = { userId: "ada", createdAt: NOW - 60_000 };

function requestOf(...cookies: readonly string[]): Request {
  const headers = new Headers();
  if (cookies.length > 0) headers.set("Cookie", cookies.join("; "));
  return new Request("https://test.example/", { headers });
}

/** Creates the function that takes sessions of Auth.js from a table. */
const takeFrom = (...sessions: readonly Row[]): TakeOldSession =>
  takeAuthJSSession(queryOf({ sessions }), { now });

const cookie = (value: string) => `authjs.session-token=${value}`;

const rows: [changes: Row, login: object | null][] = [
  [{}, LOGIN],
  [{ createdAt: null }, { userId: "ada", createdAt: 0 }],
  [{ expires: NOW }, null],
  [{ expires: null }, null],
  [{ userId: null }, null],
  [{ impersonatedBy: "root" }, null],
  [{ sessionToken: "s2" }, null],
];

Deno.test("takeAuthJSSession() takes a session that is valid, once", async () => {
  for (const [changes, login] of rows) {
    const take = takeFrom({ ...SESSION, ...changes });
    const name = Object.keys(changes).join();
    assertEquals(await take(requestOf(cookie("s1"))), login, name);
    assertEquals(await take(requestOf(cookie("s1"))), null, name);
  }
});

const requests: [cookies: readonly string[], isFound: boolean][] = [
  [[], false],
  [[cookie("")], false],
  [[`__Secure-${cookie("s1")}`], true],
  [[`__Host-${cookie("s1")}`], true],
  [[`other-${cookie("s1")}`], false],
  [["other=s1"], false],
  [[cookie("%731")], true],
  [[cookie("%"), cookie("%00"), cookie(""), cookie("s1")], true],
  [[...Array(3).fill(cookie("planted")), cookie("s1")], true],
  [[...Array(4).fill(cookie("planted")), cookie("s1")], false],
];

for (const [cookies, isFound] of requests) {
  Deno.test(`takeAuthJSSession() ${isFound ? "finds" : "ignores"} a session in "${cookies.join("; ")}"`, async () => {
    const login = await takeFrom(SESSION)(requestOf(...cookies));
    assertEquals(login, isFound ? LOGIN : null);
  });
}

Deno.test("takeAuthJSSession() reads values of up to 500 characters", async () => {
  for (const [length, login] of [[500, LOGIN], [501, null]] as const) {
    const sessionToken = "s".repeat(length);
    const take = takeFrom({ ...SESSION, sessionToken });
    assertEquals(await take(requestOf(cookie(sessionToken))), login);
  }
});

Deno.test("takeAuthJSSession() asks for no key that PostgreSQL cannot store", async () => {
  let statements = 0;
  const take = takeAuthJSSession(() => {
    statements++;
    return [];
  });
  for (const value of ["a%00b", "%E0%A4%A", ""]) {
    assertEquals(await take(requestOf(cookie(value))), null);
  }
  assertEquals(statements, 0);
  // The table is missing.
  assertEquals(await take(requestOf(cookie("s1"))), null);
  assertEquals(statements, 1);
});

Deno.test("takeAuthJSSession() finds the table once, and reads the clock and another cookie", async () => {
  const query = queryOf({
    sessions: [{ ...SESSION, expires: Date.now() + 60_000 }],
  });
  let catalogs = 0;
  const take = takeAuthJSSession((sql, params) => {
    catalogs += Number(sql.includes("sqlite_master"));
    return query(sql, params);
  }, { cookie: "own" });
  assertEquals(await take(requestOf("own=guess")), null);
  assertEquals(await take(requestOf("own=s1")), LOGIN);
  assertEquals(catalogs, 1);
});

Deno.test("takeLuciaSession() takes the session of a cookie, or of its hash", async () => {
  const digest = new Uint8Array(
    await crypto.subtle.digest("SHA-256", new TextEncoder().encode("token")),
  );
  const id = Array.from(digest, (byte) => byte.toString(16).padStart(2, "0"));
  const cases = [
    ["s1", { id: "s1" }, {}, true],
    ["token", { id: id.join("") }, { hashed: true }, true],
    ["token", { id: id.join("") }, {}, false],
    ["token", { id: "token" }, { hashed: true }, false],
    ["s1", { id: "s1" }, { hashed: false }, true],
  ] as const;
  for (const [value, { id }, options, isFound] of cases) {
    const session = { id, user_id: "ada", expires_at: NOW + 1 };
    const query = queryOf({ user_session: [session] });
    const take = takeLuciaSession(query, { ...options, now });
    const login = await take(requestOf(`auth_session=${value}`));
    assertEquals(login, isFound ? { userId: "ada", createdAt: 0 } : null);
  }
});

/** Signs a value as better-auth does. */
async function sign(value: string, secret: string): Promise<string> {
  const algorithm = { name: "HMAC", hash: "SHA-256" };
  const bytes = new TextEncoder().encode(secret);
  const key = await crypto.subtle.importKey("raw", bytes, algorithm, false, [
    "sign",
  ]);
  const data = new TextEncoder().encode(value);
  const signature = new Uint8Array(
    await crypto.subtle.sign("HMAC", key, data),
  );
  return `${value}.${btoa(String.fromCharCode(...signature))}`;
}

Deno.test("takeBetterAuthSession() takes only sessions whose cookie it has signed", async () => {
  const secret = "the old secret";
  const signed = await sign("t1", secret);
  const cases = [
    [signed, true],
    [encodeURIComponent(signed), true],
    [await sign("t1", "another secret"), false],
    [await sign("t2", secret), false],
    ["t1", false],
    [`t1.${"A".repeat(43)}=`, false],
    [signed.slice(0, -1), false],
    [signed.slice(2), false],
    [signed.replace("t1", ""), false],
    [await sign("", secret), false],
  ] as const;
  for (const [value, isFound] of cases) {
    const session = { token: "t1", userId: "ada", expiresAt: NOW + 1 };
    const empty = { ...session, token: "" };
    const query = queryOf({ session: [session, empty] });
    const take = takeBetterAuthSession(query, { secret, now });
    const login = await take(
      requestOf(`better-auth.session_token=${value}`),
    );
    assertEquals(
      login,
      isFound ? { userId: "ada", createdAt: 0 } : null,
      value,
    );
  }
  for (const secret of ["", undefined as unknown as string]) {
    assertThrows(
      () => takeBetterAuthSession(() => [], { secret }),
      TypeError,
      "the secret is empty",
    );
  }
});
