import { createEmailLogin } from "@gatehouse/web/auth/email-login";
import { createRouter } from "@gatehouse/web/fetch-router";
import { createMemorySessionStore } from "@gatehouse/web/session";
import { session } from "@gatehouse/web/session-middleware";
import {
  assert,
  assertEquals,
  assertFalse,
  assertMatch,
  assertThrows,
} from "@std/assert";
import { ADA, createEmailApp, SECRET } from "../_email_app.ts";
import { unlimited } from "../_second_factor_app.ts";

const cookieSecrets = ["a secret of the cookie sessions in these tests"];

for (const options of [{}, { cookieSecrets }]) {
  const kind = "cookieSecrets" in options ? "in cookies" : "in a store";

  Deno.test(`verifyLink() logs in once, in the browser that asked, with sessions ${kind} (ASVS 6.5.1, 6.6.2)`, async () => {
    const app = createEmailApp(options);
    const browser = app.browser();
    await browser.ask();
    const [mail] = app.outbox;
    assertMatch(mail!.token, /^[\w-]{22}$/);
    assertMatch(mail!.code, /^\d{6}$/);
    assertEquals(await browser.get(`/link?token=${mail!.token}`), {
      status: "ready",
      email: ADA,
    });
    const before = browser.cookie();
    const response = await browser.send("/link", { token: mail!.token });
    assertEquals(await response.json(), {
      ok: true,
      account: 7,
      email: ADA,
      data: "/inbox",
    });
    assertEquals(await browser.get("/"), 7);
    assertEquals(await browser.link(mail!.token), "expired");
    assertEquals(await browser.code(mail!.code), "expired");
    // A copy of the cookies from before does not bring it back.
    for (const [path, body] of [["/link", mail], ["/code", mail]] as const) {
      const replayed = await app.fetch(
        new Request(`https://test.example${path}`, {
          method: "POST",
          headers: { cookie: before },
          body: JSON.stringify(body),
        }),
      );
      assertEquals((await replayed.json()).reason, "expired");
    }
  });

  Deno.test(`verifyCode() logs in once, in the browser that asked, with sessions ${kind} (ASVS 6.5.1, 6.6.2)`, async () => {
    const app = createEmailApp(options);
    const browser = app.browser();
    assertEquals(await browser.get("/pending"), null);
    assertEquals(await browser.code("123456"), "expired");
    await browser.ask();
    assertEquals(await browser.get("/pending"), ADA);
    const { code, token } = app.outbox[0]!;
    assertEquals(await app.browser().code(code), "expired");
    assertEquals(
      await browser.code(`${code.slice(0, 3)} ${code.slice(3)}`),
      "ok",
    );
    assertEquals(await browser.get("/"), 7);
    assertEquals(await browser.get("/pending"), null);
    assertEquals(await browser.code(code), "expired");
    assertEquals(await browser.link(token), "expired");
  });
}

Deno.test("open() shows another browser the code to type in the first one", async () => {
  const app = createEmailApp();
  const browser = app.browser();
  await browser.ask();
  const { code, token } = app.outbox[0]!;
  const phone = app.browser();
  const status = "other-browser";
  assertEquals(await phone.get(`/link?token=${token}`), { status, code });
  const submitted = await phone.send("/link", { token });
  assertEquals(await submitted.json(), { ok: false, reason: status, code });
  assertEquals(await phone.get("/"), null);
  assertEquals(await browser.code(code), "ok");
});

Deno.test("an email scanner that opens links, runs scripts and submits forms uses nothing up", async () => {
  const app = createEmailApp();
  const browser = app.browser();
  await browser.ask();
  const { token } = app.outbox[0]!;
  const url = `https://test.example/link?token=${token}`;
  const visits: RequestInit[] = [
    { method: "HEAD" },
    { method: "GET" },
    { method: "GET", headers: { "Sec-Purpose": "prefetch" } },
    { method: "GET", headers: { "User-Agent": "Scanner with scripts" } },
    { method: "OPTIONS" },
    // A click on the button, without the cookie.
    { method: "POST", body: JSON.stringify({ token }) },
  ];
  for (let round = 0; round < 5; round++) {
    for (const visit of visits) await app.fetch(new Request(url, visit));
  }
  // Also a prefetch of the browser itself.
  await browser.fetch(`/link?token=${token}`, { method: "HEAD" });
  await browser.fetch(`/link?token=${token}`);
  assertEquals(await browser.link(token), "ok");
});

Deno.test("start() gives the same response and does the same work for an unknown account (ASVS 6.3.8)", async () => {
  const calls: string[] = [];
  const memory = createMemorySessionStore();
  const app = createEmailApp({
    store: {
      get(key) {
        calls.push(`get ${key.replace(/:[\w-]{20,}/, "")}`);
        return memory.get(key);
      },
      put(key, value, options) {
        calls.push(`put ${key.replace(/:[\w-]{20,}/, "")}`);
        return memory.put(key, value, options);
      },
      delete: (key) => memory.delete(key),
    },
  });
  const seen: unknown[] = [];
  for (const email of [ADA, "bob@example.com"]) {
    calls.length = 0;
    const browser = app.browser();
    const response = await browser.ask(email);
    const cookies = browser.cookie().length;
    const names = [...response.headers.keys()];
    const pending = await browser.get("/pending") === email;
    const wrong = await browser.code("x");
    const body = await response.text();
    const { status } = response;
    seen.push({
      status,
      names,
      body,
      cookies,
      pending,
      wrong,
      calls: [...calls],
    });
  }
  assertEquals(seen[0], seen[1]);
  assertEquals(app.outbox.length, 1);
});

Deno.test("verifyCode() accepts no code for an unknown account", async () => {
  const app = createEmailApp();
  for (let n = 0; n < 20; n++) {
    const browser = app.browser(`198.51.100.${n}`);
    await browser.ask(`bob-${n}@example.com`);
    for (const code of ["000000", "", null, "null", undefined]) {
      assertEquals(await browser.code(code), "wrong");
    }
  }
});

Deno.test("the link and the code expire after ten minutes (ASVS 6.5.5)", async () => {
  const app = createEmailApp();
  const browser = app.browser();
  await browser.ask();
  const { code, token } = app.outbox[0]!;
  app.wait(600_000);
  assertEquals(await browser.code(code), "expired");
  assertEquals(await browser.link(token), "expired");
  const opened = await browser.get(`/link?token=${token}`);
  assertEquals(opened, { status: "expired" });
});

Deno.test("start() creates codes of six random digits (ASVS 6.5.3, 6.5.4)", async () => {
  const app = createEmailApp({ mailThrottle: unlimited });
  for (let n = 0; n < 200; n++) await app.browser().ask();
  const codes = app.outbox.map(({ code }) => code);
  assert(codes.every((code) => /^\d{6}$/.test(code)));
  assert(new Set(codes).size > 190);
  // Each digit occurs at each place.
  for (let place = 0; place < 6; place++) {
    assertEquals(new Set(codes.map((code) => code[place])).size, 10);
  }
});

Deno.test("a new email replaces the one before it in this browser", async () => {
  const app = createEmailApp();
  const browser = app.browser();
  await browser.ask();
  await browser.ask();
  const [first, second] = app.outbox;
  assertEquals(await browser.link(first!.token), "other-browser");
  assertEquals(await browser.code(second!.code), "ok");
});

/** Asks for an email without a throttle, and returns its code and a wrong one. */
async function askUnlimited() {
  const app = createEmailApp({ codeThrottle: unlimited });
  const browser = app.browser();
  await browser.ask();
  const { code } = app.outbox[0]!;
  return { browser, code, other: code === "000000" ? "000001" : "000000" };
}

Deno.test("verifyCode() compares five codes for each email", async () => {
  const { browser, code, other } = await askUnlimited();
  for (let guess = 0; guess < 5; guess++) {
    assertEquals(await browser.code(other), "wrong");
  }
  assertEquals(await browser.code(code), "expired");
});

Deno.test("verifyCode() compares five of 100 concurrent codes", async () => {
  const { browser, code, other } = await askUnlimited();
  const results = await Promise.all(
    Array.from({ length: 100 }, () => browser.code(other)),
  );
  assertEquals(results.filter((result) => result === "wrong").length, 5);
  assertEquals(await browser.code(code), "expired");
});

for (const position of [0, 3, 50]) {
  Deno.test(`verifyCode() compares at most five of 100 concurrent codes, and the right one is number ${position}`, async () => {
    const { browser, code, other } = await askUnlimited();
    const results = await Promise.all(
      Array.from(
        { length: 100 },
        (_, index) => browser.code(index === position ? code : other),
      ),
    );
    const compared = results.filter((result) => result !== "expired");
    assert(compared.length <= 5, compared.join());
    assertEquals(await browser.code(code), "expired");
  });
}

Deno.test("one of 100 concurrent requests with the right code logs in", async () => {
  const { browser, code } = await askUnlimited();
  const results = await Promise.all(
    Array.from({ length: 100 }, () => browser.code(code)),
  );
  assertEquals(results.filter((result) => result === "ok").length, 1);
});

Deno.test("the right code ends the delays of wrong ones, and of emails", async () => {
  const app = createEmailApp();
  let asked = 0;
  for (let visit = 0; visit < 10; visit++) {
    // Each visit is on a new device at another address.
    const browser = app.browser(`198.51.100.${visit}`);
    await browser.ask();
    assertEquals(app.outbox.length, ++asked);
    for (let guess = 0; guess < 4; guess++) {
      assertEquals(await browser.code("x"), "wrong");
    }
    assertEquals(await browser.code(app.outbox.at(-1)!.code), "ok");
  }
});

Deno.test("one of 100 concurrent requests with a link logs in", async () => {
  const app = createEmailApp();
  const browser = app.browser();
  await browser.ask();
  const { token } = app.outbox[0]!;
  const cookie = browser.cookie();
  const results = await Promise.all(
    Array.from({ length: 100 }, () =>
      app.fetch(
        new Request("https://test.example/link", {
          method: "POST",
          headers: { cookie },
          body: JSON.stringify({ token }),
        }),
      )),
  );
  const bodies = await Promise.all(results.map((one) => one.json()));
  assertEquals(bodies.filter(({ ok }) => ok).length, 1);
});

Deno.test("verifyCode() delays guesses over several emails (ASVS 6.3.1, 6.6.3)", async () => {
  const app = createEmailApp();
  const results: string[] = [];
  for (let email = 0; email < 4; email++) {
    const browser = app.browser();
    await browser.ask();
    for (let guess = 0; guess < 3; guess++) {
      results.push(await browser.code("x"));
    }
  }
  assertEquals(results.slice(0, 5), Array(5).fill("wrong"));
  assertEquals(new Set(results.slice(5)), new Set(["throttled"]));
});

Deno.test("start() limits the emails to one address", async () => {
  const app = createEmailApp();
  for (let n = 0; n < 10; n++) await app.browser(`198.51.100.${n}`).ask();
  assert(app.outbox.length < 10);
  app.outbox.length = 0;
  const other = app.browser();
  for (let n = 0; n < 10; n++) await other.ask();
  assert(app.outbox.length <= 5);
});

const tokens: [string, unknown][] = [
  ["nothing", undefined],
  ["null", null],
  ["a number", 7],
  ["an object", {}],
  ["an empty string", ""],
  ["21 characters", "a".repeat(21)],
  ["22 unknown characters", "a".repeat(22)],
  ["a long string", "a".repeat(1_000_000)],
  ["a line break", `${"a".repeat(21)}\n`],
  ["__proto__", "__proto__"],
];

for (const [what, token] of tokens) {
  Deno.test(`verifyLink() refuses ${what}, and never throws`, async () => {
    const browser = createEmailApp().browser();
    await browser.ask();
    assertEquals(await browser.link(token), "expired");
    assertEquals(await browser.get("/"), null);
  });
}

Deno.test("verifyCode() finds malformed codes wrong, and never throws", async () => {
  const app = createEmailApp({ codeThrottle: unlimited });
  const codes = [
    undefined,
    null,
    7,
    {},
    [],
    "",
    "12345",
    "1".repeat(1_000_000),
  ];
  for (const [index, code] of codes.entries()) {
    const browser = app.browser(`198.51.100.${index}`);
    await browser.ask(index < 4 ? ADA : `bob-${index}@example.com`);
    assertEquals(await browser.code(code), "wrong");
  }
});

Deno.test("start() ignores an address that is too long, and never throws", async () => {
  const app = createEmailApp();
  const browser = app.browser();
  const response = await browser.ask("a".repeat(1_000_000));
  assertEquals(response.status, 200);
  assertEquals(app.outbox, []);
});

Deno.test("a link or a code of one purpose is invalid for all others", async () => {
  const store = createMemorySessionStore();
  const options = { store, secrets: [SECRET] };
  const login = createEmailLogin(options);
  const change = createEmailLogin({ ...options, purpose: "change-email" });
  const router = createRouter({ middleware: [session()] });
  router.get("/", async (context) => {
    const request = { email: ADA, account: 7 };
    const mail = await change.start(context, request);
    assert(mail !== null);
    assertEquals((await login.open(context, mail.token)).status, "expired");
    assertFalse((await login.verifyLink(context, mail.token)).ok);
    assertFalse((await login.verifyCode(context, mail.code)).ok);
    assertEquals(await login.pendingEmail(context), null);
    // Emails of two purposes can be pending in one browser.
    const second = await login.start(context, request);
    assert((await login.verifyCode(context, second?.code)).ok);
    assert((await change.verifyLink(context, mail.token)).ok);
    return new Response("done");
  });
  const response = await router.fetch(new Request("https://test.example/"), {
    remoteAddr: { hostname: "192.0.2.1" },
  });
  assertEquals(await response.text(), "done");
});

Deno.test("createEmailLogin() throws for invalid options", () => {
  const store = createMemorySessionStore();
  const valid = { store, secrets: [SECRET] };
  const eventual = { ...store, consistency: "eventual" } as const;
  const cases: [object, string][] = [
    [{ purpose: "" }, "purpose is empty"],
    [{ secrets: [] }, "Cannot encrypt email codes: secrets is empty"],
    [{ secrets: ["short"] }, "fewer than 32"],
    [{ store: eventual }, "who uses a link first"],
    [{ ttl: 0 }, "ttl"],
    [{ ttl: 3_600_001 }, "ttl"],
    [{ storeTimeout: -1 }, "storeTimeout"],
  ];
  for (const [change, message] of cases) {
    assertThrows(
      () => createEmailLogin({ ...valid, ...change }),
      Error,
      message,
    );
  }
});

Deno.test("a login by email ends the other codes and links of its account", async () => {
  const app = createEmailApp({ mailThrottle: unlimited });
  const [phone, laptop, mailer] = [app.browser(), app.browser(), app.browser()];
  for (const browser of [phone, laptop, mailer]) await browser.ask();
  const [first, second, third] = app.outbox;
  assertEquals(await phone.code(first!.code), "ok");
  assertEquals(await laptop.code(second!.code), "expired");
  assertEquals(await mailer.link(third!.token), "expired");
});

Deno.test("revoke() ends the codes and links of an account, and of no other", async () => {
  const app = createEmailApp({ mailThrottle: unlimited });
  const [phone, laptop] = [app.browser(), app.browser()];
  await phone.ask();
  await app.emailLogin.revoke(8);
  const [kept] = app.outbox;
  assertEquals(await phone.code(kept!.code), "ok");
  await phone.ask();
  await laptop.ask();
  await app.emailLogin.revoke("7");
  const [, first, second] = app.outbox;
  assertEquals(await phone.code(first!.code), "expired");
  assertEquals(await laptop.link(second!.token), "expired");
});
