import { completeAuth } from "@gatehouse/web/auth";
import {
  auth,
  createSessionAuthScheme,
  type DeviceChange,
  deviceChanges,
  type DeviceChangesOptions,
  requireFreshAuth,
} from "@gatehouse/web/auth-middleware";
import { createRouter } from "@gatehouse/web/fetch-router";
import { session } from "@gatehouse/web/session-middleware";
import { assertEquals, assertThrows } from "@std/assert";

const HOUR = 3_600_000;
const SECRETS = ["a secret of more than thirty-two characters"];
const FIREFOX = "Mozilla/5.0 (X11; Linux x86_64; rv:150.0) Firefox/150.0";
const NEWER = FIREFOX.replaceAll("150.0", "151.0");
const CURL = "curl/8.0";

for (const place of ["store", "cookies"] as const) {
  Deno.test(`deviceChanges() warns once about a stolen cookie and ends no session (${place})`, async () => {
    const { changes, logIn, visit } = setUp({}, place);
    let cookie = await logIn(FIREFOX);
    for (const browser of [FIREFOX, NEWER, CURL, CURL, FIREFOX, CURL]) {
      const result = await visit("/", cookie, browser);
      assertEquals(result.text, "7");
      cookie = result.cookie;
    }
    assertEquals(changes.map(({ device, userId }) => [userId, device]), [
      [7, { userAgent: CURL, address: "203.0.113.7" }],
    ]);
  });

  Deno.test(`deviceChanges() requires a new login for sensitive changes, on both devices (${place})`, async () => {
    const { logIn, visit } = setUp({ stepUp: true }, place);
    let cookie = await logIn(FIREFOX);
    const statuses: number[] = [];
    const steps = [["/password", FIREFOX], ["/password", CURL], ["/", CURL]];
    for (const [path, browser] of [...steps, ["/password", FIREFOX]]) {
      const result = await visit(path!, cookie, browser!);
      statuses.push(result.status);
      cookie = result.cookie;
    }
    assertEquals(statuses, [200, 401, 200, 401]);
    cookie = await logIn(FIREFOX, cookie);
    assertEquals((await visit("/password", cookie, FIREFOX)).status, 200);
  });
}

Deno.test("deviceChanges() only warns by default", async () => {
  const { logIn, visit } = setUp({});
  const cookie = await logIn(FIREFOX);
  await visit("/", cookie, CURL);
  assertEquals((await visit("/password", cookie, CURL)).status, 200);
});

Deno.test("deviceChanges() warns if a thief omits the browser's name", async () => {
  const { changes, logIn, visit } = setUp({});
  const cookie = await logIn(FIREFOX);
  await visit("/", cookie, "");
  assertEquals(changes.length, 1);
});

Deno.test("deviceChanges() warns at most nine times in a session", async () => {
  const { changes, logIn, visit } = setUp({ stepUp: true });
  const cookie = await logIn(FIREFOX);
  for (let count = 0; count < 40; count++) {
    const browser = `Thief ${String.fromCharCode(65 + count)}`;
    assertEquals((await visit("/", cookie, browser)).status, 200);
  }
  assertEquals(changes.length, 9);
  assertEquals((await visit("/password", cookie, CURL)).status, 401);
});

Deno.test("deviceChanges() continues if the warning fails", async () => {
  const { logIn, visit } = setUp({
    onChange: () => Promise.reject(new Error("The mail server is unavailable")),
  });
  const cookie = await logIn(FIREFOX);
  assertEquals((await visit("/", cookie, CURL)).status, 200);
});

const networks = [
  ["203.0.113.7", "203.0.113.200", 0],
  ["203.0.113.7", "203.0.114.7", 1],
  ["2001:db8:1:2::7", "2001:db8:1:ffff::1", 0],
  ["2001:db8:1:2::7", "2001:DB8:1::", 0],
  ["2001:db8:1::7", "2001:db8:2::7", 1],
  ["::1", "::2", 0],
  ["2001:db8::7", "203.0.113.7", 1],
] as const;

for (const [before, after, warnings] of networks) {
  Deno.test(`deviceChanges() compares the networks of ${before} and ${after}`, async () => {
    const { changes, logIn, visit } = setUp({ properties: ["network"] });
    const cookie = await logIn(FIREFOX, "", before);
    await visit("/", cookie, CURL, after);
    assertEquals(changes.length, warnings);
  });
}

Deno.test("deviceChanges() ignores anonymous sessions, and writes nothing without a change", async () => {
  const { changes, logIn, visit } = setUp({});
  await visit("/", "", CURL);
  const cookie = await logIn(FIREFOX);
  const { cookies } = await visit("/", cookie, FIREFOX);
  assertEquals(cookies, []);
  assertEquals(changes, []);
});

Deno.test("deviceChanges() throws without properties to compare", () => {
  assertThrows(
    () => deviceChanges({ properties: [], onChange: () => {} }),
    TypeError,
    "properties is empty",
  );
});

function setUp(
  options: Partial<DeviceChangesOptions>,
  place: "store" | "cookies" = "store",
) {
  const changes: DeviceChange[] = [];
  const scheme = createSessionAuthScheme({
    name: "browser",
    verify: (id) => ({ id }),
  });
  const onChange = (change: DeviceChange) => void changes.push(change);
  const router = createRouter({
    middleware: [
      session(place === "cookies" ? { secrets: SECRETS } : {}),
      deviceChanges({ onChange, ...options }),
      auth({ schemes: [scheme] }),
    ],
  });
  router.post("/login", async (context) => {
    await completeAuth(context, 7);
    return new Response();
  });
  router.get("/", () => new Response("7"));
  router.get(
    "/password",
    { middleware: [requireFreshAuth(HOUR)] },
    () => new Response("7"),
  );
  const send = async (
    method: string,
    path: string,
    cookie: string,
    browser: string,
    hostname = "203.0.113.7",
  ) => {
    const headers = new Headers({ "User-Agent": browser });
    if (cookie !== "") headers.set("Cookie", cookie);
    const request = new Request(`https://example.com${path}`, {
      method,
      headers,
    });
    const response = await router.fetch(request, { remoteAddr: { hostname } });
    const cookies = response.headers.getSetCookie();
    return {
      cookies,
      cookie: cookies[0]?.split(";")[0] ?? cookie,
      status: response.status,
      text: await response.text(),
    };
  };
  const visit = (
    path: string,
    cookie: string,
    browser: string,
    address?: string,
  ) => send("GET", path, cookie, browser, address);
  const logIn = async (browser: string, cookie = "", address?: string) =>
    (await send("POST", "/login", cookie, browser, address)).cookie;
  return { changes, logIn, visit };
}
