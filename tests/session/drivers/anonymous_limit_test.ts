import { assertEquals, assertThrows } from "@std/assert";
import {
  completeAuth,
  createThrottle,
  startExternalAuth,
} from "@gatehouse/web/auth";
import { createEmailLogin } from "@gatehouse/web/auth/email-login";
import { createPasskeys } from "@gatehouse/web/auth/passkey";
import { createSecondFactors } from "@gatehouse/web/auth/second-factor";
import type { RequestContext } from "@gatehouse/web/fetch-router";
import {
  createMemorySessionStore,
  type Session,
  type SessionStore,
} from "@gatehouse/web/session";
import { session } from "@gatehouse/web/session-middleware";
import { createMemoryPasskeyStore } from "@gatehouse/web/testing";
import { Clock, MINUTE, Server } from "../_browser.ts";
import { createProvider } from "../_provider.ts";

const anonymousLimit = { perAddress: 3, total: 10 };

Deno.test("session() responds with 429 if one address begins too many anonymous sessions", async () => {
  const clock = new Clock();
  const server = new Server({ anonymousLimit, now: clock.now });
  const visit = visitor(server);
  for (let count = 0; count < 3; count++) {
    assertEquals((await visit("203.0.113.7")).status, 200);
  }
  clock.time += 4 * MINUTE;
  const refused = await visit("203.0.113.7");
  assertEquals(refused.status, 429);
  assertEquals(await refused.text(), "Too Many Requests");
  assertEquals(refused.headers.get("Retry-After"), "360");
  assertEquals(refused.headers.get("Cache-Control"), "no-store");
  assertEquals(refused.headers.getSetCookie(), []);

  assertEquals((await visit("203.0.113.8")).status, 200);
  clock.time += 6 * MINUTE;
  assertEquals((await visit("203.0.113.7")).status, 200);
});

Deno.test("session() responds with 503 if all addresses together begin too many anonymous sessions", async () => {
  const clock = new Clock();
  const store = createMemorySessionStore({ now: clock.now });
  const server = new Server({ anonymousLimit, now: clock.now, store });
  const visit = visitor(server);
  const statuses: number[] = [];
  for (let host = 1; host <= 12; host++) {
    statuses.push((await visit(`203.0.113.${host}`)).status);
  }
  assertEquals(statuses, [...Array(10).fill(200), 503, 503]);
  // Not every platform passes the address.
  const refused = await visit(undefined);
  assertEquals(refused.status, 503);
  assertEquals(refused.headers.get("Retry-After"), "600");
  clock.time += 10 * MINUTE;
  assertEquals((await visit(undefined)).status, 200);
});

Deno.test("session() responds with 429 or 503 if a handler commits too many anonymous sessions", async () => {
  const server = new Server({ anonymousLimit: { perAddress: 1 } });
  const begin = async (session: Session) => {
    session.set("a", 1);
    await session.commit();
  };
  const visit = visitor(server, begin);
  assertEquals((await visit("203.0.113.7")).status, 200);
  const refused = await visit("203.0.113.7");
  assertEquals(refused.status, 429);
  assertEquals(refused.headers.getSetCookie(), []);
});

Deno.test("session() does not limit logins, existing sessions and requests without a session", async () => {
  const server = new Server({ anonymousLimit: { perAddress: 1, total: 2 } });
  const first = await visitor(server)("203.0.113.7");
  const [cookie] = first.headers.getSetCookie()[0].split(";");
  for (const address of ["203.0.113.7", "203.0.113.8", "203.0.113.9"]) {
    await visitor(server)(address);
  }
  const statusOf = async (
    act: Parameters<Server["request"]>[0],
    headers = {},
  ) => (await visitor(server, act, headers)("203.0.113.7")).status;
  assertEquals(await statusOf((session) => session.set("b", 1)), 503);
  assertEquals(await statusOf((session) => session.get("b")), 200);
  assertEquals(await statusOf((session) => session.set("userId", 7)), 200);
  assertEquals(
    await statusOf((_session, context) => completeAuth(context, 7)),
    200,
  );
  const change = (session: Session) => session.set("b", 1);
  assertEquals(await statusOf(change, { cookie }), 200);
  const renew = (session: Session) => session.regenerateId();
  assertEquals(await statusOf(renew, { cookie }), 200);
});

for (
  const [name, addresses, statuses] of [
    [
      "a whole IPv6 /64 as one",
      [
        "2001:db8:1:2::1",
        "2001:DB8:1:2::2",
        "2001:db8:1:2:3:4:5:6",
        "2001:db8:1:2::4",
        "2001:db8:1:3::1",
      ],
      [200, 200, 200, 429, 200],
    ],
    [
      "an IPv6 /64 with zeros as one",
      ["2001:db8::1", "2001:db8::2", "2001:db8:0:0:1::", "2001:db8::3"],
      [200, 200, 200, 429],
    ],
  ] as const
) {
  Deno.test(`session() counts ${name}`, async () => {
    const visit = visitor(new Server({ anonymousLimit }));
    const seen: number[] = [];
    for (const address of addresses) seen.push((await visit(address)).status);
    assertEquals(seen, [...statuses]);
  });
}

for (const address of ["127.0.0.1", "10.0.0.1", "::1", "fd00::1"]) {
  Deno.test(`session() allows ${address}, a possible proxy, ten times the limit`, async () => {
    const server = new Server({ anonymousLimit: { perAddress: 2 } });
    const visit = visitor(server);
    for (let count = 0; count < 20; count++) {
      assertEquals((await visit(address)).status, 200);
    }
    assertEquals((await visit(address)).status, 429);
  });
}

Deno.test("session() does not count sessions in cookies", async () => {
  const server = new Server({
    anonymousLimit: { perAddress: 1 },
    secrets: ["a secret of more than thirty-two characters"],
  });
  for (let count = 0; count < 3; count++) {
    assertEquals((await visitor(server)("203.0.113.7")).status, 200);
  }
});

Deno.test("session() throws for an anonymous limit that is not a positive number", () => {
  for (const bad of [0, -1, NaN]) {
    for (const name of ["perAddress", "total"]) {
      assertThrows(
        () => session({ anonymousLimit: { [name]: bad } }),
        RangeError,
        `anonymousLimit ${name} "${bad}" is not a positive number`,
      );
    }
  }
});

/** Returns a function that sends a request from an address. */
function visitor(
  server: Server,
  act: Parameters<Server["request"]>[0] = (session) => session.set("a", 1),
  headers: HeadersInit = {},
): (address: string | undefined) => Promise<Response> {
  return (address) =>
    server.request(
      act,
      headers,
      "https://example.com",
      address &&
        { remoteAddr: { transport: "tcp", hostname: address, port: 1 } },
    );
}

/** Creates an action that takes the first step of a login by email. */
function firstStep(store: SessionStore, now: () => number) {
  const emailLogin = createEmailLogin({
    store,
    secrets: ["a secret of more than thirty-two characters"],
    now,
    mailThrottle: createThrottle({ perAddress: { attempts: 1e6 } }),
  });
  return async (_session: Session, context: RequestContext) => {
    const email = `${crypto.randomUUID()}@example.com`;
    const mail = await emailLogin.start(context, { email, account: 7 });
    return mail?.token ?? "";
  };
}

Deno.test("one IPv6 /56 does not take the logins of everybody by its anonymous sessions", async () => {
  const anonymousLimit = { perAddress: 3, total: 100 };
  const clock = new Clock();
  const server = new Server({ anonymousLimit, now: clock.now });
  const visit = visitor(server);
  const statuses: number[] = [];
  for (let subnet = 0; subnet < 256; subnet++) {
    const hex = subnet.toString(16).padStart(2, "0");
    statuses.push((await visit(`2001:db8:0:aa${hex}::1`)).status);
  }
  assertEquals(statuses.filter((status) => status === 200).length, 12);
  // Another /56 of the /48, until the /48 has 48.
  for (let block = 0; block < 256; block++) {
    const hex = block.toString(16).padStart(2, "0");
    statuses.push((await visit(`2001:db8:0:${hex}00::1`)).status);
  }
  assertEquals(statuses.filter((status) => status === 200).length, 48);
  assertEquals(new Set(statuses), new Set([200, 429]));
  assertEquals((await visit("2001:db8:1::1")).status, 200);
  assertEquals((await visit("203.0.113.7")).status, 200);
});

const passkeys = createPasskeys({
  rpId: "example.com",
  rpName: "Example",
  origins: ["https://example.com"],
  store: createMemoryPasskeyStore(),
});
const provider = createProvider();

/** The first steps of logins, which begin a session without a user. */
const firstSteps: Record<string, Parameters<Server["request"]>[0]> = {
  "email": firstStep(createMemorySessionStore(), Date.now),
  "passkey": async (_session, context) =>
    (await passkeys.authenticationOptions(context)).challenge,
  "external provider": async (_session, context) =>
    (await startExternalAuth(provider, context)).status,
};

for (const [name, step] of Object.entries(firstSteps)) {
  Deno.test(`visitors who use up all anonymous sessions do not keep others from the first step of a login by ${name}`, async () => {
    const clock = new Clock();
    const server = new Server({ anonymousLimit, now: clock.now });
    const visit = visitor(server);
    for (let host = 1; host <= 12; host++) await visit(`203.0.113.${host}`);
    assertEquals((await visit("198.51.100.1")).status, 503);
    assertEquals((await visitor(server, step)("198.51.100.1")).status, 200);
  });
}

Deno.test("too many first steps of logins end the oldest one, and no other", async () => {
  const clock = new Clock();
  const now = clock.now;
  const sessions = createMemorySessionStore({ now });
  const server = new Server({ anonymousLimit, now, store: sessions });
  const store = createMemorySessionStore({ now });
  const step = firstStep(store, now);
  const cookies: string[] = [];
  for (let host = 1; host <= 15; host++) {
    const response = await visitor(server, step)(`203.0.113.${host}`);
    assertEquals(response.status, 200);
    cookies.push(response.headers.getSetCookie()[0]!.split(";")[0]!);
  }
  const alive: boolean[] = [];
  for (const cookie of cookies) {
    const read = (session: Session) => session.get("__auth.email-login");
    const response = await visitor(server, read, { cookie })("203.0.113.99");
    alive.push(await response.json() !== null);
  }
  assertEquals(alive, [...Array(5).fill(false), ...Array(10).fill(true)]);
});

Deno.test("too many first steps of logins end no session that is logged in", async () => {
  const server = new Server({ anonymousLimit: { perAddress: 100, total: 2 } });
  const step = firstStep(createMemorySessionStore(), Date.now);
  const first = await visitor(server, step)("203.0.113.7");
  const cookie = first.headers.getSetCookie()[0]!.split(";")[0]!;
  const logIn = (_session: Session, context: RequestContext) =>
    completeAuth(context, 7);
  const login = await visitor(server, logIn, { cookie })("203.0.113.7");
  const user = login.headers.getSetCookie()[0]!.split(";")[0]!;
  for (let host = 1; host <= 5; host++) {
    await visitor(server, step)(`203.0.113.${host}`);
  }
  const read = (session: Session) => session.userId;
  const response = await visitor(server, read, { cookie: user })("203.0.113.7");
  assertEquals(await response.json(), 7);
});

Deno.test("a login that waits for its second factor does not count as anonymous", async () => {
  const server = new Server({ anonymousLimit: { perAddress: 1, total: 1 } });
  const factors = createSecondFactors({
    issuer: "Example",
    store: createMemorySessionStore(),
    secrets: ["a secret of more than thirty-two characters"],
    hasOtherFactor: () => true,
  });
  assertEquals((await visitor(server)("203.0.113.7")).status, 200);
  assertEquals((await visitor(server)("203.0.113.7")).status, 503);
  const login = async (_session: Session, context: RequestContext) =>
    await factors.completeFirstFactor(context, 7);
  for (let count = 0; count < 3; count++) {
    assertEquals((await visitor(server, login)("203.0.113.7")).status, 200);
  }
});
