import {
  assert,
  assertEquals,
  assertGreater,
  assertNotEquals,
} from "@std/assert";
import type { Session } from "@gatehouse/web/session";
import type { SessionOptions } from "@gatehouse/web/session-middleware";
import { Browser, Clock, Server } from "./_browser.ts";

const secrets = ["a secret of more than thirty-two characters"];
const NAME = "__Host-session";

/** Where the auth module keeps what belongs to one login. */
const PENDING = "__auth.external";

Deno.test("session({ secrets }) finds the living one of four cookies of its name, and looks no further", async () => {
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

for (const [what, options] of [["a store", {}], ["a cookie", { secrets }]]) {
  Deno.test(`session() takes the first of two living sessions in ${what}, as browsers send the closest first`, async () => {
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

Deno.test("Session.regenerateId() of a session in a cookie changes the id and nothing else", async () => {
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

Deno.test("session({ secrets }) keeps an object in the session's own cookie, for as long as the session lasts", async () => {
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

Deno.test("session({ secrets }) leaves the session's own cookie alone when a login begins", async () => {
  const clock = new Clock();
  const browser = new Browser(newServer({ now: clock.now }));
  await browser.visit((session) => session.set("cart", 1));
  clock.time += 1_000;
  await browser.visit((session) => session.set(PENDING, { a: "verifier" }));
  // It would undo what another tab has stored meanwhile.
  const set = browser.response.headers.getSetCookie();
  assertEquals(set.map((header) => header.split(/[.=]/)[0]), [NAME]);
  assert(set[0].startsWith(`${NAME}.`), set[0]);
});

Deno.test("session({ secrets }) gives a login that has begun no more time when something else changes", async () => {
  const clock = new Clock();
  const browser = new Browser(newServer({ now: clock.now }));
  await browser.visit((session) => session.set(PENDING, { a: "verifier" }));
  clock.time += 300_000;
  await browser.visit((session) => session.set("cart", 1));
  assertEquals(browser.response.headers.getSetCookie().length, 1);
  clock.time += 300_000;
  assertEquals(await browser.visit((session) => session.has(PENDING)), false);
});

Deno.test("session({ secrets }) drops the oldest login that has begun, in whatever order the browser sends them", async () => {
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
  const [what, cookie] of [
    ["a domain", { domain: "example.com", sameSite: "Strict" }],
    ["a path", { path: "/", partitioned: true }],
  ] as const
) {
  Deno.test(`session({ secrets }) expires the cookies of logins that have begun with ${what} as they were set`, async () => {
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

/** The attributes of the cookies of the last response, without their ends. */
function attributes(browser: Browser): string[] {
  return browser.response.headers.getSetCookie().map((header) =>
    header.replace(/=[^;]*/, "")
      .replace(/; (Max-Age|Expires)=[^;]*/g, "")
  ).sort();
}

function newServer(options: SessionOptions = {}): Server {
  return new Server({ secrets, ...options });
}
