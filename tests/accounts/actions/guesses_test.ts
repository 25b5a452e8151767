/** Guesses of passwords and links. */
import { assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import {
  type AccountStore,
  createMemoryAccountStore,
} from "@gatehouse/web/accounts/store";
import { hashPassword } from "@gatehouse/web/auth/password";
import {
  type Browser,
  linkOf,
  PASSWORD,
  startAccounts,
  tokenOf,
} from "../_accounts.ts";

const email = "ada@example.com";
const right = { email, password: PASSWORD };
const guess = { email, password: "wrong horse battery" };

/** Copies the session of a browser, without its other cookies. */
function steal(victim: Browser, thief: Browser): Browser {
  const name = [...victim.client.cookies.keys()]
    .find((one) => one.endsWith("session"))!;
  const cookies = thief.client.cookies as Map<string, string>;
  cookies.set(name, victim.client.cookies.get(name)!);
  return thief;
}

Deno.test("guesses with a stolen session count like those at the login", async () => {
  const { browser, registered } = startAccounts();
  const thief = steal(await registered(), browser());
  const statuses: number[] = [];
  for (let n = 0; n < 6; n++) {
    statuses.push((await thief.post("/account/confirm", guess)).status);
  }
  assertEquals(statuses, [422, 422, 422, 422, 422, 429]);
  const throttled = await thief.post("/account/confirm", right);
  assertEquals(throttled.status, 429);
  assertMatch(throttled.headers.get("Retry-After") ?? "", /^\d+$/);
  assertStringIncludes(await throttled.text(), "Too many attempts");
});

/** The words for a wait, in English and German. */
const waits = [
  [241, "5 minutes", "5 Minuten"],
  [121, "3 minutes", "3 Minuten"],
  [120, "2 minutes", "2 Minuten"],
  [119, "119 seconds", "119 Sekunden"],
  [2, "2 seconds", "2 Sekunden"],
  [1, "1 second", "1 Sekunde"],
] as const;

Deno.test("a throttled user reads how long to wait", async () => {
  let time = Date.UTC(2026, 10, 27);
  const { browser, registered } = startAccounts({ now: () => time });
  await registered();
  const { client } = browser();
  const post = (values: Record<string, string>, language = "en") =>
    client.fetch("/login", {
      method: "POST",
      headers: { "Accept-Language": language },
      body: new URLSearchParams(values),
    });
  let left = 0;
  // Each lockout is twice as long as the one before.
  while (left < 256) {
    time += left * 1_000;
    const { headers } = await post(guess);
    left = Number(headers.get("Retry-After"));
  }
  for (const [seconds, inEnglish, inGerman] of waits) {
    time += (left - seconds) * 1_000;
    left = seconds;
    const page = await (await post(right)).text();
    assertStringIncludes(page, `Please wait ${inEnglish}, then`);
    const other = await (await post(right, "de")).text();
    assertStringIncludes(other, `Bitte warten Sie ${inGerman} und`);
  }
});

Deno.test("a script that must wait gets the header Retry-After", async () => {
  const { browser, registered } = startAccounts();
  await registered();
  const script = browser();
  for (let n = 0; n < 5; n++) {
    const { headers, status } = await script.send("/login", guess);
    assertEquals([status, headers.get("Retry-After")], [422, null]);
  }
  const { headers, status } = await script.send("/login", right);
  assertEquals([status, headers.get("Retry-After")], [429, "1"]);
});

Deno.test("a stolen device has at most 15 guesses of the password", async () => {
  const { registered } = startAccounts();
  const device = await registered();
  let guesses = 0;
  for (; guesses < 20; guesses++) {
    const { status } = await device.post("/account/confirm", guess);
    if (status === 429) break;
  }
  assertEquals(guesses, 15);
});

Deno.test("the device that registered logs in despite the guesses of others", async () => {
  const { browser, registered } = startAccounts();
  const ada = await registered();
  await ada.post("/login/out");
  for (let n = 0; n < 100; n++) await browser().post("/login", guess);
  assertEquals((await browser().post("/login", right)).status, 429);
  assertEquals((await ada.post("/login", right)).status, 303);
});

Deno.test("two logins that both renew an old hash succeed", async () => {
  const database = createMemoryAccountStore();
  const { browser, registered } = startAccounts({ database });
  await registered();
  const { id, version } = (await database.findByEmail(email))!;
  const passwordHash = await hashPassword(PASSWORD, { memory: 128, passes: 1 });
  await database.change(id, version, { passwordHash });
  const logins = await Promise.all(
    [browser(), browser()].map((one) => one.post("/login", right)),
  );
  assertEquals(logins.map(({ status }) => status), [303, 303]);
  const renewed = (await database.findLogin(email))!.passwordHash;
  assertEquals(renewed === passwordHash, false);
});

/** Returns a store whose calls are noted before they happen. */
function observed(
  store: AccountStore,
  note: (name: string, args: readonly unknown[]) => void,
): AccountStore {
  return new Proxy(store, {
    get(target, name) {
      const value = Reflect.get(target, name);
      if (typeof value !== "function") return value;
      return (...args: unknown[]) => {
        note(String(name), args);
        return value.apply(target, args);
      };
    },
  });
}

Deno.test("a login does not look up an address that is too long", async () => {
  const asked: unknown[] = [];
  const database = observed(createMemoryAccountStore(), (name, args) => {
    if (name === "findLogin") asked.push(...args);
  });
  const { browser } = startAccounts({ database });
  // Normalizing this string would block all requests for a second.
  const long = "a" + "\u0315".repeat(5000) + "\u0316".repeat(5000);
  const login = await browser().post("/login", { ...right, email: long });
  assertEquals([login.status, asked], [422, []]);
  await browser().post("/login", right);
  assertEquals(asked, [email]);
});

Deno.test("each form of a new password refuses a common one", async () => {
  const { browser, lastMail, registered } = startAccounts();
  const ada = await registered();
  const weak = { password: "password123" };
  const register = { ...weak, email: "eve@example.com", name: "Eve" };
  const refusals = [
    await browser().post("/register", register),
    await ada.post("/account/password", { ...weak, current: PASSWORD }),
  ];
  await browser().post("/login/reset", { email });
  const token = tokenOf(await lastMail(email));
  refusals.push(await browser().post("/login/reset/link", { ...weak, token }));
  for (const { status, ...response } of refusals) {
    assertEquals(status, 422, JSON.stringify(response));
  }
  assertEquals((await browser().post("/login", right)).status, 303);
});

Deno.test("a link that resets a password works for ten minutes", async () => {
  const { accounts, browser, lastMail, registered } = startAccounts();
  await registered();
  const open = async (passed: number) => {
    await browser().post("/login/reset", { email });
    const link = linkOf(await lastMail(email));
    accounts.wait(passed);
    return (await browser().get(link)).status;
  };
  assertEquals(await open(9 * 60_000), 200);
  assertEquals(await open(10 * 60_000), 400);
});

for (
  const token of ["", "x", "x".repeat(43), "ä".repeat(43), "x".repeat(9e3)]
) {
  Deno.test(`a forged link against a change, of ${token.length} characters, changes nothing`, async () => {
    const { browser, registered } = startAccounts();
    const ada = await registered();
    const { status } = await browser().post("/account/not-me", { token });
    assertEquals(status, 400);
    assertEquals(await ada.isLoggedIn(), true);
    assertEquals((await browser().post("/login", right)).status, 303);
  });
}
