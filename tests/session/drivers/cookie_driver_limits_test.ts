import type { Session } from "@gatehouse/web/session";
import type { SessionOptions } from "@gatehouse/web/session-middleware";
import {
  assert,
  assertEquals,
  assertGreater,
  assertNotEquals,
} from "@std/assert";
import { Browser, Clock, Server } from "../_browser.ts";

const secrets = ["a secret of more than thirty-two characters"];
const NAME = "__Host-Http-session";

/** The session key under which the auth module stores pending logins. */
const PENDING = "__auth.external";

Deno.test("session({ secrets }) finds the valid one of four cookies with its name, but not of five", async () => {
  const server = newServer();
  const browser = new Browser(server);
  await browser.visit((session) => session.set("userId", 7));
  const own = browser.header;
  const forged = `${NAME}=${own.slice(NAME.length + 1, -1)}`;
  for (
    const [Cookie, expected] of [
      [`${forged}; ${own}`, 7],
      [`${own}; ${forged}`, 7],
      [`${forged}; ${forged}; ${forged}; ${own}`, 7],
      [`${forged}; ${forged}; ${forged}; ${forged}; ${own}`, null],
    ] as const
  ) {
    const response = await server.request((session) => session.userId, {
      Cookie,
    });
    assertEquals(await response.json(), expected);
  }
});

for (const [name, options] of [["a store", {}], ["a cookie", { secrets }]]) {
  Deno.test(`session() uses the first of two valid sessions in ${name}, because browsers send the closest first`, async () => {
    const server = new Server(options as SessionOptions);
    const headers: string[] = [];
    for (const userId of [7, 8]) {
      const browser = new Browser(server);
      await browser.visit((session) => session.set("userId", userId));
      headers.push(browser.header);
    }
    for (const [first, expected] of [[0, 7], [1, 8]]) {
      const Cookie = `${headers[first]}; ${headers[1 - first]}`;
      const response = await server.request((session) => session.userId, {
        Cookie,
      });
      assertEquals(await response.json(), expected);
    }
  });
}

Deno.test("session({ secrets }) counts every byte of name and value (ASVS 3.3.5)", async () => {
  const name = "n".repeat(200);
  const server = newServer({ cookie: { name } });
  let longest = 0;
  for (let length = 2_600; length < 2_900; length++) {
    const response = await server.request((session) => {
      session.set("a", "x".repeat(length));
    });
    const [cookie] = response.headers.getSetCookie();
    assertEquals(response.status, cookie === undefined ? 500 : 200);
    if (cookie === undefined) break;
    longest = cookie.split(";")[0].length - "=".length;
    assert(longest <= 4_096, `${longest} bytes`);
  }
  assertGreater(longest, 4_090);
});

Deno.test("Session.regenerateId() changes only the id of a session in a cookie", async () => {
  const browser = new Browser(newServer());
  await browser.visit((session) => session.set("a", 1));
  const id = await browser.visit((session) => session.id);
  const { header } = browser;
  await browser.visit((session) => session.regenerateId());
  assertNotEquals(browser.header, header);
  await browser.visit((session) => {
    assertNotEquals(session.id, id);
    assertEquals(session.get("a"), 1);
  });
});

Deno.test("session({ secrets }) keeps an object in the session cookie until the session ends", async () => {
  const clock = new Clock();
  const browser = new Browser(newServer({ now: clock.now }));
  await browser.visit((session) => {
    session.set("userId", 7);
    session.set("cart", { tea: 2 });
  });
  assertEquals([...browser.cookies.keys()], [NAME]);
  clock.time += 1_200_000;
  await browser.visit((session) => {
    assertEquals(session.get("cart"), { tea: 2 });
  });
});

Deno.test("session({ secrets }) does not set the session cookie when a login begins", async () => {
  const clock = new Clock();
  const browser = new Browser(newServer({ now: clock.now }));
  await browser.visit((session) => session.set("cart", 1));
  clock.time += 1_000;
  await browser.visit((session) => session.set(PENDING, { a: "verifier" }));
  // It would undo a concurrent change of another tab.
  const set = browser.response.headers.getSetCookie();
  assertEquals(set.map((header) => header.split(/[.=]/)[0]), [NAME]);
  assert(set[0].startsWith(`${NAME}.`), set[0]);
});

Deno.test("session({ secrets }) does not extend a pending login when another value changes", async () => {
  const clock = new Clock();
  const browser = new Browser(newServer({ now: clock.now }));
  await browser.visit((session) => session.set(PENDING, { a: "verifier" }));
  clock.time += 300_000;
  await browser.visit((session) => session.set("cart", 1));
  assertEquals(browser.response.headers.getSetCookie().length, 1);
  clock.time += 300_000;
  assertEquals(await browser.visit((session) => session.has(PENDING)), false);
});

Deno.test("session({ secrets }) drops the oldest pending login, whatever the order of the cookies", async () => {
  const clock = new Clock();
  const browser = new Browser(newServer({ now: clock.now }));
  const begin = (name: string, length: number) =>
    browser.visit((session: Session) => {
      clock.time += 1_000;
      session.update(PENDING, (pending) => ({
        ...pending as Record<string, string>,
        [name]: "x".repeat(length),
      }));
    });
  for (const name of ["a", "b", "c"]) await begin(name, 400);
  const reversed = new Browser(browser.server, [...browser.cookies].reverse());
  browser.cookies.clear();
  for (const [name, value] of reversed.cookies) {
    browser.cookies.set(name, value);
  }
  await begin("large", 1_500);
  const left = await browser.visit((session) => session.get(PENDING));
  assertEquals(Object.keys(left as object), ["b", "c", "large"]);
});

for (
  const [name, cookie] of [
    ["a domain", { domain: "example.com", sameSite: "Strict" }],
    ["a path", { path: "/", partitioned: true }],
  ] as const
) {
  Deno.test(`session({ secrets }) removes the cookies of pending logins with ${name} by the attributes they were set with`, async () => {
    const browser = new Browser(newServer({ cookie }));
    await browser.visit((session) => {
      session.set("a", 1);
      session.set(PENDING, { a: "verifier" });
    });
    const set = attributes(browser);
    assertEquals(set.length, 2);
    await browser.visit((session) => session.destroy());
    assertEquals(attributes(browser), set);
    assertEquals(browser.cookies.size, 0);
  });
}

/** Returns the cookie attributes of the last response, without the lifetimes. */
function attributes(browser: Browser): string[] {
  return browser.response.headers.getSetCookie().map((header) =>
    header.replace(/=[^;]*/, "")
      .replace(/; (Max-Age|Expires)=[^;]*/g, "")
  ).sort();
}

function newServer(options: SessionOptions = {}): Server {
  return new Server({ secrets, ...options });
}
