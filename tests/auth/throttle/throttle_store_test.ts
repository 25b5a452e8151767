import { createThrottle, type ThrottleOptions } from "@gatehouse/web/auth";
import { createRouter } from "@gatehouse/web/fetch-router";
import {
  createMemorySessionStore,
  type SessionStore,
} from "@gatehouse/web/session";
import {
  session,
  type SessionOptions,
} from "@gatehouse/web/session-middleware";
import { assert, assertEquals, assertThrows } from "@std/assert";
import { captureConsole } from "../../_console.ts";
import { createClocked, start } from "../_clocked_throttle.ts";

Deno.test("createThrottle() separates throttles with different names in one store", async () => {
  const store = createMemorySessionStore();
  const login = createClocked({ store });
  const reset = createClocked({ store, name: "reset" });
  await login.fail(5);
  assertEquals(await login.attempt(), 1);
  assertEquals(await reset.attempt(), true);
});

Deno.test("createThrottle() does not store accounts and addresses", async () => {
  const keys: string[] = [];
  const memory = createMemorySessionStore();
  const store: SessionStore = {
    get: (key) => memory.get(key),
    put(key, value, options) {
      keys.push(key + value);
      assertEquals(options.index, undefined);
      return memory.put(key, value, options);
    },
    delete: (key) => memory.delete(key),
  };
  await createClocked({ store }).attempt("ada");
  assertEquals(keys.length, 3);
  for (const key of keys) {
    assert(
      /^throttle:[a-z]+:[\w-]{43}\[\[\[1700000000000,1\]\],0\]$/.test(key),
      key,
    );
  }
});

Deno.test("createThrottle() accepts accounts of any length and form", async () => {
  const { attempt } = createClocked();
  const long = "a".repeat(1_000_000);
  for (const account of [long, "", "\ud800", "\ufdfa".repeat(100_000)]) {
    assertEquals(await attempt(account), true);
  }
});

const nonsense = [
  "",
  "{",
  "null",
  "[1]",
  '["a","b"]',
  "[1,null]",
  "[5,0]",
  "[[5],0]",
  "[[[1700000000000]],0]",
  '[[[1700000000000,"5"]],0]',
  "[[[null,5]],0]",
  "[[[1700000000000,5]],null]",
];

Deno.test("createThrottle() starts again if the stored value is invalid", async () => {
  for (const value of nonsense) {
    const memory = createMemorySessionStore({ now: () => start });
    const store: SessionStore = {
      get: (key) => {
        const found = memory.get(key) as { version: string } | null;
        return found === null ? null : { value, version: found.version };
      },
      put: (key, text, options) => memory.put(key, text, options),
      delete: (key) => memory.delete(key),
    };
    const { fail } = createClocked({ store });
    assertEquals(await fail(7), Array(7).fill(true), value);
  }
});

for (const storeTimeout of [0, -1, NaN, Infinity, 2 ** 31]) {
  Deno.test(`createThrottle() throws for the storeTimeout ${storeTimeout}`, () => {
    assertThrows(
      () => createThrottle({ storeTimeout }),
      RangeError,
      `storeTimeout "${storeTimeout}"`,
    );
  });
}

Deno.test("createThrottle() warns once if the sessions are in a shared store and the counts are not", async () => {
  const memory = createMemorySessionStore();
  const shared: SessionStore = {
    get: (key) => memory.get(key),
    put: (...args) => memory.put(...args),
    delete: (key) => memory.delete(key),
  };
  const secrets = ["a secret of more than thirty-two characters"];
  const cases: [SessionOptions, ThrottleOptions, warnings: number][] = [
    [{ store: shared }, {}, 1],
    [{ store: shared, lazy: true }, {}, 1],
    [{ store: shared }, { store: shared }, 0],
    [{ store: shared }, { store: memory }, 0],
    [{}, {}, 0],
    [{ store: memory }, {}, 0],
    [{ secrets }, {}, 0],
  ];
  for (const [sessionOptions, throttleOptions, expected] of cases) {
    const throttle = createThrottle(throttleOptions);
    const router = createRouter({ middleware: [session(sessionOptions)] });
    router.get("/", async (context) => {
      await throttle.attempt(context, "ada");
      return new Response();
    });
    using calls = captureConsole("warn");
    for (let count = 0; count < 3; count++) {
      await router.fetch(new Request("https://example.com/"), {
        remoteAddr: { hostname: "203.0.113.7" },
      });
    }
    assertEquals(
      calls.printed,
      Array(expected).fill(
        'Cannot throttle "login" across processes: it has no "store", pass the one of the sessions',
      ),
    );
  }
});
