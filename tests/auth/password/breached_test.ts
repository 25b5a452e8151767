import { createBreachedPasswordCheck } from "@gatehouse/web/auth/password";
import { assert, assertEquals, assertFalse, assertThrows } from "@std/assert";

/** The SHA-1 of "password" is 5BAA6 and this. */
const SUFFIX = "1E4C9B93F3F0682250B6CF8331B7EE68FD8";

/** Creates a check whose service answers with a text. */
function checkWith(text: string, options: { minCount?: number } = {}) {
  return createBreachedPasswordCheck({
    ...options,
    fetch: () => Promise.resolve(new Response(text)),
  });
}

Deno.test("createBreachedPasswordCheck() sends five digits of the hash, and asks for padding", async () => {
  const requests: Request[] = [];
  const check = createBreachedPasswordCheck({
    fetch(input, init) {
      requests.push(new Request(input, init));
      return Promise.resolve(new Response(`${SUFFIX}:3`));
    },
  });
  assert(await check("password"));
  assertEquals(requests.length, 1);
  const [{ headers, method, url }] = requests as [Request];
  assertEquals(url, "https://api.pwnedpasswords.com/range/5BAA6");
  assertEquals([method, headers.get("Add-Padding")], ["GET", "true"]);
});

const answers: [string, string, boolean][] = [
  ["the password", `${SUFFIX}:1`, true],
  ["the password among others", `00:1\r\n${SUFFIX}:52\r\nFF:1\r\n`, true],
  ["lower case", SUFFIX.toLowerCase() + ":1", true],
  ["a line of the padding", `${SUFFIX}:0`, false],
  ["another suffix", `${SUFFIX.slice(0, -1)}0:9`, false],
  ["a prefix of the suffix", `${SUFFIX.slice(0, 20)}:9`, false],
  ["nothing", "", false],
  ["a malformed count", `${SUFFIX}:many`, false],
  ["no count", SUFFIX, false],
  ["HTML", "<html>", false],
];

for (const [what, text, refused] of answers) {
  Deno.test(`createBreachedPasswordCheck() returns ${refused} for ${what} (ASVS 6.2.12)`, async () => {
    assertEquals(await checkWith(text)("password"), refused);
  });
}

Deno.test("createBreachedPasswordCheck() refuses passwords from minCount on", async () => {
  const text = `${SUFFIX}:10`;
  assert(await checkWith(text, { minCount: 10 })("password"));
  assertFalse(await checkWith(text, { minCount: 11 })("password"));
});

const failures: [string, () => Promise<Response>][] = [
  ["rejects", () => Promise.reject(new TypeError("no network"))],
  ["throws", () => {
    throw new Error("broken");
  }],
  ["redirects", () => {
    const headers = { Location: "https://elsewhere.example/" };
    return Promise.resolve(new Response(null, { status: 302, headers }));
  }],
  ["answers 500", () => Promise.resolve(new Response("", { status: 500 }))],
  [
    "answers 429 with a body",
    () => Promise.resolve(new Response(`${SUFFIX}:1`, { status: 429 })),
  ],
  [
    "answers with the page of a proxy",
    () => Promise.resolve(new Response("<!doctype html><title>Log in")),
  ],
  ["has an empty body", () => Promise.resolve(new Response(""))],
  ["has no body", () => Promise.resolve(new Response(null))],
  ["never answers", () => new Promise(() => {})],
  ["never ends", () => {
    const body = new ReadableStream({ pull: () => new Promise(() => {}) });
    return Promise.resolve(new Response(body));
  }],
  ["sends too much", () => {
    const chunk = new Uint8Array(65_536).fill(65);
    const body = new ReadableStream({ pull: (c) => c.enqueue(chunk) });
    return Promise.resolve(new Response(body));
  }],
];

for (const [what, fetch] of failures) {
  Deno.test(`createBreachedPasswordCheck() accepts the password if the service ${what}`, async () => {
    const errors: unknown[] = [];
    const check = createBreachedPasswordCheck({
      fetch,
      timeout: 50,
      onError: (error) => errors.push(error),
    });
    assertFalse(await check("password"));
    assertEquals(errors.length, 1);
    assertFalse(String(errors[0]).includes('password"'));
  });
}

for (const options of [{ timeout: 0 }, { timeout: NaN }, { minCount: -1 }]) {
  Deno.test(`createBreachedPasswordCheck() throws for ${JSON.stringify(options)}`, () => {
    assertThrows(
      () => createBreachedPasswordCheck(options),
      RangeError,
      "not a positive number",
    );
  });
}

Deno.test("createBreachedPasswordCheck() refuses a timeout that no timer can wait for", () => {
  // It would accept each password at once.
  const timeout = 2 ** 31;
  assertThrows(() => createBreachedPasswordCheck({ timeout }), RangeError);
});
