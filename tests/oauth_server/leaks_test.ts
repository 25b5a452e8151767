/** Logs, events, errors and stores contain no secret of a grant. */
import { assert, assertEquals, assertFalse } from "@std/assert";
import { logger } from "@gatehouse/web/logger-middleware";
import {
  createMemorySessionStore,
  type SessionStore,
} from "@gatehouse/web/session";
import { captureConsole } from "../_console.ts";
import {
  authorizePath,
  browserOf,
  callAPI,
  exchange,
  post,
  readConsent,
  refresh,
  SECRET,
  sendConsent,
  startServer,
  targetOf,
  type TestServer,
  VERIFIER,
  WITH_JWT,
} from "./_server.ts";

/** Writes each key, value and index name of a store to an array. */
function watched(
  written: string[],
  fails: () => boolean = () => false,
): SessionStore {
  const store = createMemorySessionStore({ now: () => 1_800_000_000_000 });
  const check = () => {
    if (fails()) throw new Error("The store is unavailable");
  };
  return {
    get: (key) => {
      check();
      written.push(key);
      return store.get(key);
    },
    put: (key, value, options) => {
      check();
      written.push(key, value, JSON.stringify(options));
      return store.put(key, value, options);
    },
    delete: (key) => {
      written.push(key);
      return store.delete(key);
    },
    byIndex: (name) => {
      written.push(name);
      return store.byIndex!(name);
    },
  };
}

/** Walks through the life of a grant, and returns all its secrets. */
async function walk(
  app: TestServer,
): Promise<Readonly<Record<string, string>>> {
  const browser = await browserOf(app);
  const form = await readConsent(await browser.fetch(authorizePath()));
  const target = targetOf(await sendConsent(browser, form));
  const code = target.searchParams.get("code")!;
  const first = await (await exchange(app, code)).json();
  const second = await (await refresh(app, first.refresh_token)).json();
  await callAPI(app, second.access_token);
  await callAPI(app, second.access_token, "/files");
  await exchange(app, code);
  app.clock.now += 40_000;
  // A replay ends the grant, which causes an event.
  await refresh(app, first.refresh_token);
  await post(app, "/revoke", { client_id: "web", token: code });
  return {
    code,
    handle: form.handle,
    verifier: VERIFIER,
    secret: SECRET,
    access: first.access_token,
    refresh: first.refresh_token,
    access2: second.access_token,
    refresh2: second.refresh_token,
  };
}

/** Requires that no text contains a secret, or the MAC at its end. */
function assertNone(
  texts: readonly string[],
  secrets: Readonly<Record<string, string>>,
): void {
  const all = texts.join("\n");
  assert(all.length > 0);
  for (const [name, secret] of Object.entries(secrets)) {
    assertFalse(all.includes(secret), name);
    assertFalse(all.includes(secret.slice(-30)), `${name}, its end`);
  }
}

for (const format of ["dev", "short", "combined", "json"] as const) {
  Deno.test(`the log in the format ${format}, and the events, contain no secret of a grant`, async () => {
    const lines: string[] = [];
    const app = startServer({
      ...format === "json" && WITH_JWT,
      hasAudit: true,
      outermost: logger({ format, output: (line) => lines.push(line) }),
    });
    const secrets = await walk(app);
    await app.audit.flush();
    assert(lines.some((line) => line.includes("/token")));
    assert(app.events.some(({ name }) => name === "token-reuse"));
    const events = [...app.events, ...app.security]
      .map((event) => JSON.stringify(event));
    assertNone([...lines, ...events], secrets);
  });
}

for (const settings of [{}, WITH_JWT]) {
  const format = "jwt" in settings ? "JWTs" : "opaque tokens";
  Deno.test(`the stores contain no secret of a grant, and no hash of one, with ${format}`, async () => {
    const written: string[] = [];
    const app = startServer({
      ...settings,
      store: watched(written),
      sessions: watched(written),
    });
    const secrets = await walk(app);
    assertNone(written, secrets);
    for (const secret of Object.values(secrets)) {
      const bytes = new TextEncoder().encode(secret);
      const hash = await crypto.subtle.digest("SHA-256", bytes);
      const texts = written.join("\n");
      assertFalse(texts.includes(hexOf(hash)));
      // The challenge of PKCE is a hash of the verifier, and public. The session
      // knows its pending requests by the hash of their handle.
      if (secret === VERIFIER || secret === secrets.handle) continue;
      assertFalse(texts.includes(base64UrlOf(hash)));
    }
  });
}

function hexOf(bytes: ArrayBuffer): string {
  return Array.from(
    new Uint8Array(bytes),
    (byte) => byte.toString(16).padStart(2, "0"),
  ).join("");
}

function base64UrlOf(bytes: ArrayBuffer): string {
  return btoa(String.fromCharCode(...new Uint8Array(bytes)))
    .replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

Deno.test("a store that fails ends no request with a token, and no secret is printed", async () => {
  using console = captureConsole();
  let isBroken = false;
  const app = startServer({ store: watched([], () => isBroken) });
  const browser = await browserOf(app);
  const form = await readConsent(await browser.fetch(authorizePath()));
  const page = await browser.fetch(authorizePath());
  const other = await readConsent(page);
  const target = targetOf(await sendConsent(browser, form));
  const code = target.searchParams.get("code")!;
  const tokens = await (await exchange(app, code)).json();
  isBroken = true;
  const responses = [
    await exchange(app, code),
    await refresh(app, tokens.refresh_token),
    await post(app, "/revoke", {
      client_id: "web",
      token: tokens.refresh_token,
    }),
    await sendConsent(browser, other),
  ];
  const texts = [];
  for (const response of responses) {
    assert(response.status >= 500, String(response.status));
    texts.push(await response.text(), JSON.stringify([...response.headers]));
  }
  assert(await callAPI(app, tokens.access_token) >= 500);
  for (const value of console.printed) {
    const { message = "", stack = "", cause } = value as Error;
    texts.push(String(value), message, stack, String(cause));
  }
  const { access_token, refresh_token } = tokens;
  assertNone(texts, { code, access_token, refresh_token });
  isBroken = false;
  assertEquals(await callAPI(app, tokens.access_token), 200);
});
