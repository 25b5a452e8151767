import {
  completeAuth,
  createCredentialsAuthProvider,
  createThrottle,
  type CredentialsAuthResult,
  credentialsAuthResult,
  type Throttle,
  verifyCredentials,
} from "@gatehouse/web/auth";
import {
  createRouter,
  redirect,
  RequestContext,
} from "@gatehouse/web/fetch-router";
import { formData } from "@gatehouse/web/middleware";
import { Session } from "@gatehouse/web/session";
import { session } from "@gatehouse/web/session-middleware";
import { assert, assertEquals, assertRejects, assertThrows } from "@std/assert";
import { turns } from "../../_wait.ts";

interface Credentials {
  readonly email: string;
  readonly password: string;
}

const ada = { id: 1, email: "ada@example.com", name: "Ada", role: "user" };

const password = createCredentialsAuthProvider({
  name: "password",
  parse(context): Credentials | null {
    const form = context.get(FormData);
    const [email, password] = [form.get("email"), form.get("password")];
    return typeof email === "string" && typeof password === "string"
      ? { email, password }
      : null;
  },
  verify: ({ email, password }) =>
    Promise.resolve(
      email === ada.email && password === "s3cret" ? ada : null,
    ),
});

/** Creates the login of spec 5.1. Returns a function that posts a form to it. */
function createApp() {
  const router = createRouter({ middleware: [formData(), session()] });
  router.post("/login", async (context) => {
    const user = await verifyCredentials(password, context);
    if (!user) return new Response("Invalid email or password");
    await completeAuth(context, user.id);
    return redirect("/");
  });
  router.get("/", (context) => Response.json(context.get(Session).userId ?? 0));
  return router;
}

async function login(form: Record<string, string>): Promise<Response> {
  return await createApp().fetch("https://example.com/login", {
    method: "POST",
    body: new URLSearchParams(form),
  });
}

Deno.test("verifyCredentials() returns the user of valid credentials (spec 4.3, 5.1.2)", async () => {
  const response = await login({ email: ada.email, password: "s3cret" });
  assertEquals(response.status, 302);
  assertEquals(response.headers.getSetCookie().length, 1);
});

const wrong: Record<string, string>[] = [
  { email: ada.email, password: "guess" },
  { email: "bob@example.com", password: "s3cret" },
  { email: ada.email },
  {},
];

for (const form of wrong) {
  Deno.test(`verifyCredentials() returns null for ${JSON.stringify(form)} and sets no session (spec 5.1.3, 7)`, async () => {
    const response = await login(form);
    assertEquals(await response.text(), "Invalid email or password");
    assertEquals(response.headers.getSetCookie(), []);
  });
}

const context = (remoteAddress?: string) =>
  new RequestContext(new Request("https://example.com/"), { remoteAddress });

for (const nothing of [null, undefined]) {
  Deno.test(`verifyCredentials() does not call verify if parse returns ${nothing}`, async () => {
    const provider = createCredentialsAuthProvider({
      name: "none",
      parse: (): string | null => nothing as null,
      verify: () => ({ id: 1 }),
    });
    const where = context();
    assertEquals(await verifyCredentials(provider, where), null);
    assertEquals(await credentialsAuthResult(provider, where), {
      ok: false,
      reason: "missing",
    });
  });
}

for (const result of [null, undefined, false, 0, ""]) {
  Deno.test(`verifyCredentials() returns null if verify returns ${JSON.stringify(result)}`, async () => {
    const provider = createCredentialsAuthProvider({
      name: "no",
      parse: () => "credentials",
      verify: () => result as null,
    });
    assertEquals(await verifyCredentials(provider, context()), null);
  });
}

for (const step of ["parse", "verify"] as const) {
  Deno.test(`verifyCredentials() throws an error of ${step} instead of reporting a wrong password`, async () => {
    const fail = () => Promise.reject(new Error("no database"));
    const provider = createCredentialsAuthProvider<string, { id: number }>({
      name: "broken",
      parse: () => "credentials",
      verify: () => null,
      [step]: fail,
    });
    await assertRejects(
      () => verifyCredentials(provider, context()),
      Error,
      "no database",
    );
  });
}

Deno.test("credentialsAuthResult() verifies once within a request", async () => {
  let count = 0;
  const provider = createCredentialsAuthProvider({
    name: "counted",
    parse: () => "credentials",
    verify: () => ({ id: ++count }),
  });
  const where = context();
  assertEquals(await verifyCredentials(provider, where), { id: 1 });
  assertEquals(await credentialsAuthResult(provider, where), {
    ok: true,
    user: { id: 1 },
  });
  assertEquals(await verifyCredentials(provider, context()), { id: 2 });
});

/** Creates a throttle with fixed results that records its calls. */
function fakeThrottle(allowed: boolean) {
  const asked: unknown[] = [];
  const throttle: Pick<Throttle, "attempt"> = {
    attempt(_context, account) {
      asked.push(account);
      return Promise.resolve(
        allowed
          ? {
            allowed,
            succeed: () => Promise.resolve(void asked.push("ok")),
            cancel: () => Promise.resolve(void asked.push("cancel")),
          }
          : { allowed, retryAfter: 30 },
      );
    },
  };
  return { throttle, asked };
}

for (
  const [allowed, right, expected, calls] of [
    [true, true, { ok: true, user: { id: 1 } }, ["ada", "verify", "ok"]],
    [true, false, { ok: false, reason: "wrong" }, ["ada", "verify"]],
    [false, true, { ok: false, reason: "throttled", retryAfter: 30 }, ["ada"]],
  ] as const
) {
  Deno.test(`credentialsAuthResult() calls the throttle before it verifies: ${JSON.stringify(expected)} (ASVS 6.3.1)`, async () => {
    const { throttle, asked } = fakeThrottle(allowed);
    const provider = createCredentialsAuthProvider({
      name: "throttled",
      parse: () => ({ name: "ada" }),
      verify() {
        asked.push("verify");
        return right ? { id: 1 } : null;
      },
      throttle,
      account: ({ name }) => name,
    });
    assertEquals(await credentialsAuthResult(provider, context()), expected);
    assertEquals(asked, [...calls]);
  });
}

Deno.test("credentialsAuthResult() does not count an attempt if verify throws", async () => {
  let isDown = false;
  const provider = createCredentialsAuthProvider({
    name: "throttled",
    parse: () => "guess",
    verify: () => isDown ? Promise.reject(new Error("no database")) : null,
    throttle: createThrottle(),
    account: () => "ada",
  });
  const reasons: string[] = [];
  for (let time = 0; time < 14; time++) {
    isDown = time >= 3 && time < 11;
    const where = context("203.0.113.7");
    const result = credentialsAuthResult(provider, where);
    reasons.push(await result.then(reasonOf, (error) => error.message));
  }
  assertEquals(reasons, [
    ...Array(3).fill("wrong"),
    ...Array(8).fill("no database"),
    // The first three attempts still count.
    ...["wrong", "wrong", "throttled"],
  ]);
});

function reasonOf(result: CredentialsAuthResult<unknown>): string {
  return result.ok ? "right" : result.reason;
}

Deno.test("credentialsAuthResult() throws an error of verify after it cancels the attempt", async () => {
  let isCancelled = false;
  await assertThrowsOwn(async () => {
    await turns();
    isCancelled = true;
  });
  assert(isCancelled);
});

Deno.test("credentialsAuthResult() throws an error of verify even if the throttle fails too", async () => {
  await assertThrowsOwn(() => Promise.reject(new Error("no store")));
});

/** Asserts that an error of `verify` is thrown for any end of the attempt. */
async function assertThrowsOwn(cancel: () => Promise<void>): Promise<void> {
  const succeed = () => Promise.resolve();
  const provider = createCredentialsAuthProvider({
    name: "throttled",
    parse: () => "guess",
    verify: () => Promise.reject(new Error("no database")),
    throttle: {
      attempt: () => Promise.resolve({ allowed: true, succeed, cancel }),
    },
    account: () => "ada",
  });
  await assertRejects(
    () => credentialsAuthResult(provider, context()),
    Error,
    "no database",
  );
}

for (const email of [new File(["x"], "x.txt"), null, undefined, 7]) {
  Deno.test(`credentialsAuthResult() reports missing credentials if ${email instanceof File ? "a file" : email} replaces the account`, async () => {
    const { throttle, asked } = fakeThrottle(true);
    const provider = createCredentialsAuthProvider({
      name: "throttled",
      parse: () => ({ email: email as unknown as string }),
      verify: () => ({ id: 1 }),
      throttle,
      account: (credentials) => credentials.email,
    });
    const result = await credentialsAuthResult(provider, context());
    assertEquals(result, { ok: false, reason: "missing" });
    assertEquals(asked, []);
  });
}

Deno.test("verifyCredentials() throttles the attempts at an account by default", async () => {
  let count = 0;
  const provider = createCredentialsAuthProvider({
    name: "password",
    parse: ({ url }) => url.searchParams.get("account"),
    verify: () => (count++, null),
    account: (account) => account,
  });
  const reasons = async (account: string) => {
    const request = new Request(`https://example.com/?account=${account}`);
    const remoteAddress = "203.0.113.7";
    const where = new RequestContext(request, { remoteAddress });
    const result = await credentialsAuthResult(provider, where);
    return result.ok ? "" : result.reason;
  };
  for (let guess = 1; guess <= 5; guess++) {
    assertEquals(await reasons("ada"), "wrong");
  }
  assertEquals(await reasons("ada"), "throttled");
  assertEquals(await reasons("bob"), "wrong");
  assertEquals(count, 6);
});

Deno.test("createCredentialsAuthProvider() throws for a throttle without account", () => {
  const { throttle } = fakeThrottle(true);
  assertThrows(
    () =>
      createCredentialsAuthProvider({
        name: "password",
        parse: () => "",
        verify: () => null,
        throttle,
      }),
    TypeError,
    "needs to know the account",
  );
});
