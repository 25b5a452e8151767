import { assert, assertEquals } from "@std/assert";
import type { AccountHooks } from "@gatehouse/web/accounts";
import { captureConsole } from "../../_console.ts";
import { PASSWORD, startAccounts } from "../_accounts.ts";

const email = "ada@example.com";

const registration = { email, name: "Ada", password: PASSWORD };

/** Hooks that fail, with the status of the response. */
const failures: Record<string, readonly [hook: () => unknown, status: number]> =
  {
    "throws": [() => {
      throw new Error("no connection");
    }, 500],
    "rejects": [() => Promise.reject(new Error("no connection")), 500],
    "hangs": [() => new Promise(() => {}), 503],
    "returns false": [() => false, 500],
    "returns null": [() => null, 500],
    "returns a string": [() => "no", 500],
    "returns an empty refusal": [() => ({ refuse: "" }), 500],
    "returns a refusal and a step": [
      () => ({ refuse: "no", step: "/terms" }),
      500,
    ],
    "returns a step elsewhere": [
      () => ({ step: "https://evil.example/" }),
      500,
    ],
    "returns a step without a path": [() => ({ step: 7 }), 500],
  };

for (const [what, [hook, status]] of Object.entries(failures)) {
  Deno.test(`a hook that ${what} fails closed`, async () => {
    using output = captureConsole();
    let isFailing = false;
    const failing = () => isFailing ? hook() : undefined;
    const hooks = {
      beforeRegister: failing,
      beforeLogin: failing,
      beforeDelete: failing,
    } as AccountHooks;
    const { accounts, browser, registered } = startAccounts({
      hooks,
      hookTimeout: 20,
    });
    const ada = await registered();
    isFailing = true;
    const again = browser();
    const login = { email, password: PASSWORD };
    assertEquals((await again.post("/login", login)).status, status);
    assertEquals(await again.isLoggedIn(), false);

    const count = accounts.mails.length;
    const eve = { ...registration, email: "eve@example.com" };
    assertEquals((await again.post("/register", eve)).status, status);
    assertEquals(accounts.mails.length, count);

    assertEquals((await ada.post("/account/delete")).status, status);
    const user = await accounts.users.findByEmail(email);
    assertEquals(user?.deleteAt, null);
    // Users who are logged in stay so.
    assertEquals(await ada.isLoggedIn(), true);
    isFailing = false;
    assertEquals((await again.post("/login", login)).status, 303);
    const printed = output.printed.join();
    assertEquals(printed.includes(PASSWORD), false);
    assertEquals(printed.includes("beforeLogin took too long"), status === 503);
  });
}

Deno.test("a hook that is too late is aborted, and its result does not count", async () => {
  using _output = captureConsole();
  let late = Promise.withResolvers<void>();
  const signals: AbortSignal[] = [];
  const { browser, registered } = startAccounts({
    hooks: {
      async beforeLogin({ signal }) {
        signals.push(signal);
        if (signals.length > 1) await late.promise;
      },
    },
    hookTimeout: 20,
  });
  await registered();
  assertEquals(signals[0]?.aborted, false);
  const ada = browser();
  const login = { email, password: PASSWORD };
  const response = await ada.post("/login", login);
  assertEquals(response.status, 503);
  assert(response.headers.has("Retry-After"));
  assertEquals(signals[1]?.aborted, true);
  late.resolve();
  await late.promise;
  assertEquals(await ada.isLoggedIn(), false);
  // A slow hook within the time is only slow.
  late = Promise.withResolvers();
  const slow = ada.post("/login", login);
  late.resolve();
  assertEquals((await slow).status, 303);
});
