import {
  createClient,
  type SessionState,
  sessionState,
  type SessionStateOptions,
} from "@gatehouse/web/client";
import { createRouter } from "@gatehouse/web/fetch-router";
import { object, string } from "@gatehouse/web/data-schema";
import { get, route } from "@gatehouse/web/fetch-router/routes";
import {
  assert,
  assertEquals,
  assertStrictEquals,
  assertThrows,
} from "@std/assert";
import { turns } from "../../_wait.ts";
import { startBrowser } from "./_browser.ts";

interface User {
  readonly name: string;
}

/** The answer of a server: a user, no user, or a failure. */
type Answer = User | null | "down" | "redirect";

/** Creates a server that counts its requests, and can hold back its answers. */
function createServer(answer: Answer = { name: "Ada" }) {
  let opened: Promise<void> | undefined;
  let open = () => {};
  const server = {
    answer,
    requests: 0,
    signals: [] as AbortSignal[],
    /** Answers no request before `release()`. */
    hold() {
      ({ promise: opened, resolve: open } = Promise.withResolvers<void>());
    },
    release() {
      opened = undefined;
      open();
    },
    async call({ signal }: { readonly signal: AbortSignal }) {
      server.requests++;
      server.signals.push(signal);
      // A server reads the session before its answer is on the way.
      const { answer } = server;
      await opened;
      if (answer === "down") throw new TypeError("Failed to fetch");
      if (answer === "redirect") return { ok: false as const, status: 0 };
      return answer
        ? { ok: true as const, status: 200, body: { ...answer } }
        : { ok: false as const, status: 401 };
    },
  };
  return server;
}

/** Opens a page that shows the session, and returns what it has shown. */
function show(state: SessionState<User>) {
  const shown: (string | null | undefined)[] = [];
  const leave = state.subscribe((user) => shown.push(user && user.name));
  return { shown, leave };
}

/** Opens a window with a page. */
function openPage(
  browser: ReturnType<typeof startBrowser>,
  server: ReturnType<typeof createServer>,
  options: SessionStateOptions<User | undefined, User> = {},
) {
  const window = browser.open();
  const state = sessionState(server.call, { ...options, window });
  return { window, state, ...show(state) };
}

Deno.test("sessionState() is unknown until the server answers", async () => {
  const browser = startBrowser();
  const server = createServer();
  const { state, shown } = openPage(browser, server);
  // A copy, because comparing may load modules, and then promises go on.
  assertEquals([state.get(), ...shown], [undefined, undefined]);
  await turns();
  assertEquals([state.get(), shown], [{ name: "Ada" }, [undefined, "Ada"]]);
});

Deno.test("sessionState() is null after a 401, and after a body that is null", async () => {
  const browser = startBrowser();
  for (
    const result of [{ ok: false, status: 401 }, {
      ok: true,
      status: 200,
      body: null,
    }]
  ) {
    const window = browser.open();
    const state = sessionState(() => Promise.resolve(result), { window });
    state.subscribe(() => {});
    await turns();
    assertStrictEquals(state.get(), null);
  }
});

Deno.test("sessionState() has the type of the route, and calls it without this", async () => {
  const routes = route({
    me: get("/me", { responses: { 200: object({ name: string() }) } }),
  });
  const router = createRouter();
  router.get(routes.me, () => Response.json({ name: "Ada" }));
  const client = createClient(routes, {
    baseUrl: "https://app.example",
    fetch: router.fetch,
  });
  const window = startBrowser().open();
  const { get: read, refresh } = sessionState(client.me, { window });
  await refresh();
  const name: string | undefined = read()?.name;
  assertEquals(name, "Ada");
  // @ts-expect-error: the route declares no such property.
  assertEquals(read()?.email, undefined);
});

Deno.test("select() returns the session of a body, and its type", async () => {
  let account: User | null = { name: "Ada" };
  const call = () =>
    Promise.resolve({ ok: true as const, status: 200, body: { account } });
  const window = startBrowser().open();
  const state: SessionState<User> = sessionState(call, {
    window,
    select: (body) => body.account,
  });
  const { shown } = show(state);
  await turns();
  account = null;
  await state.refresh();
  assertEquals(shown, [undefined, "Ada", null]);
  const broken = sessionState(call, {
    window,
    select: ({ account }) => account!.name,
  });
  await broken.refresh();
  assertEquals(broken.get(), undefined);
});

Deno.test("sessionState() does nothing on a server", async () => {
  const server = createServer();
  for (const options of [{}, { window: null }]) {
    const state = sessionState(server.call, options);
    const { shown, leave } = show(state);
    await state.refresh();
    state.reportUnauthorized();
    leave();
    assertEquals([shown, server.requests], [[undefined], 0]);
  }
});

Deno.test("a subscriber is called after changes only, and not after it left", async () => {
  const server = createServer();
  const { state, shown, leave } = openPage(startBrowser(), server);
  await turns();
  const first = state.get();
  await state.refresh();
  assertStrictEquals(state.get(), first);
  server.answer = { name: "Grace" };
  await state.refresh();
  const second = show(state);
  leave();
  leave();
  server.answer = null;
  await state.refresh();
  assertEquals(shown, [undefined, "Ada", "Grace"]);
  assertEquals(second.shown, ["Grace", null]);
});

Deno.test("one function may subscribe twice", async () => {
  const state = sessionState(createServer().call, {
    window: startBrowser().open(),
  });
  let calls = 0;
  const listener = () => void calls++;
  const leave = state.subscribe(listener);
  state.subscribe(listener);
  leave();
  await turns();
  assertEquals(calls, 3);
});

const bodies: [first: unknown, second: unknown, isSame: boolean][] = [
  [{ a: [1, { b: null }] }, { a: [1, { b: null }] }, true],
  [{ a: 1, b: 2 }, { b: 2, a: 1 }, true],
  [{ a: 1 }, { a: 2 }, false],
  [{ a: 1 }, { a: 1, b: 2 }, false],
  [{ a: 1, b: 2 }, { a: 1 }, false],
  [{ a: undefined }, { b: undefined }, false],
  [["a"], { 0: "a" }, false],
  [{ a: {} }, { a: null }, false],
  [{ at: new Date(0) }, { at: new Date(0) }, false],
  [
    JSON.parse('{"__proto__":{"a":1}}'),
    JSON.parse('{"__proto__":{"a":2}}'),
    false,
  ],
  [JSON.parse('{"__proto__":1}'), { toString: 1 }, false],
];

for (const [first, second, isSame] of bodies) {
  Deno.test(`a session ${isSame ? "stays" : "changes"}: ${JSON.stringify([first, second])}`, async () => {
    let body = first;
    const call = () => Promise.resolve({ ok: true, status: 200, body });
    const state = sessionState(call, { window: startBrowser().open() });
    await state.refresh();
    body = second;
    await state.refresh();
    assertEquals(state.get() === first, isSame);
  });
}

for (const failure of ["down", "redirect"] as const) {
  Deno.test(`without an answer (${failure}) the state stays, and the page asks again within a minute`, async () => {
    const browser = startBrowser();
    const server = createServer();
    const { shown } = openPage(browser, server, { pollInterval: 10_000 });
    await turns();
    server.answer = failure;
    await browser.advance(10_000);
    assertEquals([server.requests, shown], [2, [undefined, "Ada"]]);
    server.answer = null;
    await browser.advance(14_000);
    assertEquals(server.requests, 2);
    await browser.advance(31_000);
    assertEquals(shown, [undefined, "Ada", null]);
  });
}

Deno.test("a failed first request is repeated while the page is visible", async () => {
  const browser = startBrowser();
  const server = createServer("down");
  const { shown, window } = openPage(browser, server);
  await turns();
  window.turn("hidden");
  await browser.advance(600_000);
  assertEquals([server.requests, shown], [1, [undefined]]);
  server.answer = { name: "Ada" };
  window.turn("visible");
  await turns();
  assertEquals(shown, [undefined, "Ada"]);
});

Deno.test("a call that throws, or never settles, does not stop later requests", async () => {
  const browser = startBrowser();
  const signals: AbortSignal[] = [];
  const answers = [
    (): never => {
      throw new Error("Broken");
    },
    () => new Promise<never>(() => {}),
    () => Promise.resolve({ ok: true, status: 200, body: { name: "Ada" } }),
  ];
  const state = sessionState(({ signal }) => {
    signals.push(signal);
    return answers.shift()!();
  }, { window: browser.open() });
  const { shown } = show(state);
  await browser.advance(45_000);
  assertEquals([signals.length, signals[1]!.aborted], [2, false]);
  await browser.advance(75_000);
  assertEquals([signals.length, signals[1]!.aborted], [3, true]);
  assertEquals(shown, [undefined, "Ada"]);
});

Deno.test("refresh() during a request asks once more, because the answer may be older", async () => {
  const server = createServer(null);
  const { state, shown } = openPage(startBrowser(), server);
  await turns();
  server.hold();
  const first = state.refresh();
  server.answer = { name: "Ada" };
  const login = Promise.all([first, state.refresh(), state.refresh()]);
  server.release();
  await login;
  assertEquals(server.requests, 3);
  assertEquals(shown, [undefined, null, "Ada"]);
});

Deno.test("a login, a logout and a change are noticed in all visible windows", async () => {
  const browser = startBrowser();
  const server = createServer(null);
  const pages = Array.from({ length: 4 }, () => openPage(browser, server));
  await turns();
  assertEquals([server.requests, browser.messages.length], [4, 4]);
  for (const name of ["Ada", "Grace", null]) {
    await browser.advance(60_000);
    server.answer = name === null ? null : { name };
    server.requests = 0;
    await pages[0]!.state.refresh();
    await turns();
    for (const { shown } of pages) assertEquals(shown.at(-1), name);
    // A message during the request of a window causes one more.
    assert(server.requests <= 12, `${server.requests}`);
  }
  // Nothing about the user is in a message.
  const kinds = ["changed", "logged in", "logged out"];
  assertEquals([...new Set(browser.messages)].sort(), kinds);
});

Deno.test("hidden windows wait until they are shown, but hide the user at once after a logout", async () => {
  const browser = startBrowser();
  const server = createServer();
  const pages = Array.from({ length: 50 }, () => openPage(browser, server));
  await turns();
  const [visible, ...hidden] = pages;
  for (const { window } of hidden) window.turn("hidden");
  await browser.advance(600_000);
  const requests = server.requests;
  server.answer = null;
  await visible!.state.refresh();
  await turns();
  for (const { shown } of pages) assertEquals(shown, [undefined, "Ada", null]);
  assertEquals(server.requests, requests + 1);

  server.answer = { name: "Grace" };
  await visible!.state.refresh();
  await turns();
  assertEquals(server.requests, requests + 2);
  const [first] = hidden;
  assertEquals(first!.shown.at(-1), null);
  first!.window.turn("visible");
  await turns();
  assertEquals(first!.shown.at(-1), "Grace");
  assertEquals(server.requests, requests + 3);
});

Deno.test("a page that was loaded after a login or logout on another page tells the other windows", async () => {
  const browser = startBrowser();
  const server = createServer();
  const { shown } = openPage(browser, server);
  await turns();
  openPage(browser, server);
  await turns();
  assertEquals(server.requests, 2);
  server.answer = null;
  openPage(browser, server);
  await turns();
  assertEquals([shown.at(-1), server.requests], [null, 5]);
});

Deno.test("a message that is older than a login does not log a visible window out", async () => {
  const browser = startBrowser();
  const { shown } = openPage(browser, createServer());
  await turns();
  const channel = new (browser.open().BroadcastChannel)("gatehouse-session");
  for (const message of ["logged out", null, { logout: true }, "__proto__"]) {
    channel.postMessage(message);
    await turns();
  }
  assertEquals(shown, [undefined, "Ada"]);
});

Deno.test("the page asks again when the user returns, at most every 5 seconds", async () => {
  const browser = startBrowser();
  const server = createServer();
  const { shown, window, leave } = openPage(browser, server);
  const wake = () => {
    window.turn("hidden");
    window.turn("visible");
    for (const type of ["focus", "online", "pageshow"]) {
      window.dispatchEvent(new Event(type));
    }
  };
  await browser.advance(4_999);
  wake();
  await turns();
  assertEquals(server.requests, 1);
  server.answer = null;
  await browser.advance(1);
  wake();
  await turns();
  assertEquals([server.requests, shown.at(-1)], [2, null]);
  leave();
  await browser.advance(60_000);
  wake();
  await turns();
  assertEquals(server.requests, 2);
});

for (const type of ["focus", "online", "pageshow"]) {
  Deno.test(`the event ${type} asks again after 5 seconds, or after a failure`, async () => {
    const browser = startBrowser();
    const server = createServer();
    const { window, shown } = openPage(browser, server);
    await browser.advance(5_000);
    server.answer = "down";
    window.dispatchEvent(new Event(type));
    await turns();
    server.answer = null;
    window.dispatchEvent(new Event(type));
    await turns();
    window.dispatchEvent(new Event(type));
    await turns();
    assertEquals([server.requests, shown], [3, [undefined, "Ada", null]]);
  });
}

Deno.test("without subscribers, neither a message nor a failure causes a request", async () => {
  const browser = startBrowser();
  const server = createServer();
  const { leave, state } = openPage(browser, server);
  await turns();
  leave();
  server.answer = "down";
  await state.refresh();
  const channel = new (browser.open().BroadcastChannel)("gatehouse-session");
  channel.postMessage("logged out");
  await browser.advance(600_000);
  assertEquals(server.requests, 2);
});

Deno.test("a page that comes and goes asks once", async () => {
  const browser = startBrowser();
  const server = createServer();
  const { leave, state } = openPage(browser, server);
  leave();
  const { leave: leaveAgain, shown } = show(state);
  await turns();
  leaveAgain();
  show(state);
  await browser.advance(4_000);
  assertEquals([server.requests, shown], [1, [undefined, "Ada"]]);
  await browser.advance(600_000);
  assertEquals(server.requests, 1);
});

Deno.test("reportUnauthorized() asks once, and never because of the request itself", async () => {
  const browser = startBrowser();
  const server = createServer();
  const window = browser.open();
  const state: SessionState<User> = sessionState(async (input) => {
    const result = await server.call(input);
    // The client of the application reports each 401.
    if (result.status === 401) state.reportUnauthorized();
    return result;
  }, { window });
  const { shown } = show(state);
  await turns();
  server.answer = null;
  for (let count = 0; count < 10; count++) state.reportUnauthorized();
  await browser.advance(60_000);
  assertEquals([server.requests, shown], [2, [undefined, "Ada", null]]);
  state.reportUnauthorized();
  await turns();
  assertEquals(server.requests, 2);
});

Deno.test("five requests are sent at once, and then one in ten seconds", async () => {
  const browser = startBrowser();
  const server = createServer();
  const { state } = openPage(browser, server);
  const flood = async () => {
    for (let count = 0; count < 20; count++) {
      void state.refresh();
      await turns();
    }
  };
  await flood();
  assertEquals(server.requests, 5);
  await browser.advance(9_999);
  assertEquals(server.requests, 5);
  await browser.advance(1);
  assertEquals(server.requests, 6);
  await flood();
  await browser.advance(100_000);
  // No refresh is lost, but those that wait together are one.
  assertEquals(server.requests, 8);
  await flood();
  assertEquals(server.requests, 13);
});

Deno.test("pollInterval asks regularly while the page is visible", async () => {
  const browser = startBrowser();
  const server = createServer();
  const { window, leave } = openPage(browser, server, { pollInterval: 60_000 });
  await browser.advance(180_000);
  assertEquals(server.requests, 4);
  window.turn("hidden");
  await browser.advance(600_000);
  assertEquals(server.requests, 4);
  window.turn("visible");
  await browser.advance(60_000);
  assertEquals(server.requests, 6);
  leave();
  await browser.advance(600_000);
  assertEquals(server.requests, 6);
});

Deno.test("pollInterval begins anew with each request", async () => {
  const browser = startBrowser();
  const server = createServer();
  const { state } = openPage(browser, server, { pollInterval: 60_000 });
  await browser.advance(30_000);
  await state.refresh();
  await browser.advance(59_999);
  assertEquals(server.requests, 2);
  await browser.advance(1);
  assertEquals(server.requests, 3);
});

Deno.test("sessionState() rejects an interval that is too short, or that no timer can have", () => {
  for (const pollInterval of [-1, 0, 9_999, NaN, Infinity, 2 ** 31]) {
    assertThrows(
      () => sessionState(createServer().call, { pollInterval }),
      RangeError,
      `Cannot poll the session every "${pollInterval}" ms`,
    );
  }
});
