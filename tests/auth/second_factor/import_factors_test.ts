import {
  createSecondFactors,
  generateTOTP,
  type ImportedFactors,
  importFactors,
} from "@gatehouse/web/auth/second-factor";
import { createRouter } from "@gatehouse/web/fetch-router";
import {
  createMemorySessionStore,
  Session,
  type SessionStore,
} from "@gatehouse/web/session";
import { session } from "@gatehouse/web/session-middleware";
import { createTestClient } from "@gatehouse/web/testing";
import { assert, assertEquals, assertRejects } from "@std/assert";

const SECRETS = ["from the environment: 32 random characters or more"];
const SECRET = "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ";
/** Codes of better-auth, which differ in case. */
const CODES = ["aB3dE-fG5hI", "Ab3dE-fG5hI", "zzzzz-99999"];
const START = 1_800_000_000_000;

function open(
  secrets = SECRETS,
  store: SessionStore = createMemorySessionStore(),
) {
  let time = START;
  const now = () => time;
  const factors = createSecondFactors({
    issuer: "Example",
    store,
    secrets,
    now,
  });
  const router = createRouter({ middleware: [session()] });
  router.post("/login", async (context) => {
    const methods = ["pwd"];
    const user = await factors.completeFirstFactor(context, 7, { methods });
    return new Response(user === null ? "code" : "welcome");
  });
  router.post("/code", async (context) => {
    const result = await factors.verifyCode(
      context,
      await context.request.text(),
    );
    return Response.json(
      result.ok
        ? [result.method, result.recoveryCodes, context.get(Session).userId]
        : result.reason,
    );
  });
  const logIn = async (code: string) => {
    const remoteAddress = "192.0.2.1";
    const { fetch } = createTestClient(router, { remoteAddress });
    const login = await fetch("/login", { method: "POST" });
    assertEquals(await login.text(), "code");
    const response = await fetch("/code", { method: "POST", body: code });
    return await response.json();
  };
  const add = (imported: ImportedFactors) =>
    importFactors(7, imported, { store, secrets, now });
  return { add, factors, logIn, store, wait: (ms: number) => time += ms };
}

Deno.test("importFactors() keeps an authenticator app and its recovery codes", async () => {
  const { add, factors, logIn, wait } = open();
  assert(
    await add({ secret: SECRET, recoveryCodes: CODES }),
  );
  assertEquals(await factors.status(7), {
    totp: true,
    totpSince: START,
    recoveryCodes: 3,
  });

  wait(60_000);
  const code = await generateTOTP(SECRET, { time: START + 60_000 });
  assertEquals(await logIn(code), ["otp", 3, 7]);
  assertEquals(await logIn(" aB3dEfG5hI "), ["recovery", 2, 7]);
  assertEquals(await logIn("aB3dE-fG5hI"), "wrong");
  assertEquals(await logIn("AB3DE-FG5HI"), "wrong");
  assertEquals(await logIn("Ab3dE-fG5hI"), ["recovery", 1, 7]);
});

Deno.test("importFactors() refuses the code of the step of the import, which the other system may have accepted", async () => {
  const { add, logIn } = open();
  await add({ secret: SECRET });
  assertEquals(
    await logIn(await generateTOTP(SECRET, { time: START })),
    "wrong",
  );
});

Deno.test("importFactors() limits the attempts of imported recovery codes", async () => {
  const { add, logIn } = open();
  await add({ secret: SECRET, recoveryCodes: CODES });
  const answers: unknown[] = [];
  for (let count = 0; count < 120; count++) {
    answers.push(await logIn(`guess-${count}aaaa`));
  }
  assertEquals(answers[0], "wrong");
  assertEquals(answers.at(-1), "throttled");
});

Deno.test("importFactors() changes nothing if the user has an app", async () => {
  const { add, logIn, wait } = open();
  await add({ secret: SECRET, recoveryCodes: CODES });
  const other = { secret: SECRET.toLowerCase().replace("g", "a") };
  assertEquals(await add(other), false);
  wait(60_000);
  const code = await generateTOTP(SECRET, { time: START + 60_000 });
  assertEquals(await logIn(code), ["otp", 3, 7]);
});

Deno.test("the store contains neither the secret nor the codes of imported factors, and reencrypt() keeps them", async () => {
  const texts: string[] = [];
  const inner = createMemorySessionStore();
  const store: SessionStore = {
    get: (key) => inner.get(key),
    delete: (key) => inner.delete(key),
    put(...values) {
      texts.push(JSON.stringify(values));
      return inner.put(...values);
    },
  };
  const { add } = open(SECRETS, store);
  await add({ secret: SECRET, recoveryCodes: CODES });
  assert(texts.length > 0);
  for (const secret of [SECRET, "12345678901234567890", "aB3dE", "aB3dEfG"]) {
    assert(!texts.join().includes(secret));
  }

  const next = "another secret with 32 random characters";
  await open([next, ...SECRETS], inner).factors.reencrypt(7);
  const { logIn } = open([next], inner);
  assertEquals(await logIn("aB3dE-fG5hI"), ["recovery", 2, 7]);
});

Deno.test("importFactors() rejects malformed factors without showing them", async () => {
  const { add, factors } = open();
  const cases = [
    { secret: "" },
    { secret: "not base32!" },
    { secret: "GEZDGNBV" },
    { secret: "A".repeat(300) },
    { secret: SECRET, recoveryCodes: ["1234-56"] },
    { secret: SECRET, recoveryCodes: ["a".repeat(101)] },
    { secret: SECRET, recoveryCodes: Array(51).fill("abcdefgh") },
    { secret: SECRET, recoveryCodes: [7 as unknown as string] },
  ];
  for (const imported of cases) {
    const error = await assertRejects(
      () => add(imported),
      TypeError,
      "Cannot import second factors",
    );
    assert(!error.message.includes(imported.secret || "\0"));
  }
  assertEquals((await factors.status(7)).totp, false);
});
