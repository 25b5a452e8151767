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
