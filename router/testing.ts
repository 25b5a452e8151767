import { matcherChecks } from "./matching/matcher_checks.ts";
import { isRedirect } from "./redirect.ts";
import type { Matcher } from "./matching/matcher.ts";

/** One test of a matcher. */
export interface MatcherTest {
  /** The behavior that it tests. */
  readonly name: string;
  /** Runs the test. Throws if the matcher breaks the contract. */
  run(): void;
}

/**
 * Returns the tests that every `Matcher` has to pass: matching, precedence,
 * duplicates and allowed methods.
 *
 * @example Testing a matcher with Deno, or with any `test(name, run)`
 * ```ts
 * import { ArrayMatcher } from "@gatehouse/web/fetch-router";
 * import { testMatcher } from "@gatehouse/web/testing";
 * import { assertGreater } from "@std/assert";
 *
 * const tests = testMatcher(() => new ArrayMatcher<string>());
 * // for (const { name, run } of tests) Deno.test(name, run);
 *
 * tests[0].run();
 * assertGreater(tests.length, 40);
 * ```
 *
 * @param createMatcher Creates a matcher without routes.
 * @returns The tests.
 */
export function testMatcher(
  createMatcher: () => Matcher<string>,
): MatcherTest[] {
  return matcherChecks().map(([name, check]) => ({
    name,
    run: () => check(createMatcher),
  }));
}

/** Options for {@linkcode createTestClient}. */
export interface TestClientOptions {
  /**
   * The origin that paths are resolved against.
   *
   * @default {"https://test.example"}
   */
  readonly origin?: string;
  /**
   * The client's address, which the router reads as `context.remoteAddress`.
   *
   * @default {undefined}
   */
  readonly remoteAddress?: string;
}

/** Options for a request of a test client. */
export interface TestRequestInit extends RequestInit {
  /**
   * `true` to follow redirects on the same origin, at most ten of them.
   *
   * @default {false}
   */
  readonly followRedirects?: boolean;
  /**
   * `"omit"` to send and keep no cookies, as for a request with a token.
   *
   * @default {"same-origin"}
   */
  readonly credentials?: RequestCredentials;
}

/** Sends requests to a router as one browser would. */
export interface TestClient {
  /**
   * Sends a request, with the cookies of earlier responses.
   *
   * @param path The path, or a URL.
   * @param init The options of the request.
   * @returns The response.
   * @throws {Error} If there are more than ten redirects to follow.
   */
  fetch(path: string, init?: TestRequestInit): Promise<Response>;
  /** The cookies by name. */
  readonly cookies: ReadonlyMap<string, string>;
}

/** A router, or any object with a `fetch` method. */
export interface TestTarget {
  /**
   * Responds to a request.
   *
   * @param request The request.
   * @param platform The arguments of a server with the client's address.
   * @returns The response.
   */
  fetch(
    request: Request,
    ...platform: unknown[]
  ): Response | Promise<Response>;
}

/**
 * Creates a client for tests. It takes paths, keeps cookies, and can follow
 * redirects.
 *
 * It supports one origin. It reads only the cookie attributes `Max-Age` and
 * `Expires`.
 *
 * @example Staying logged in
 * ```ts
 * import { assertEquals } from "@std/assert";
 * import { createRouter } from "@gatehouse/web/fetch-router";
 * import { createTestClient } from "@gatehouse/web/testing";
 *
 * const router = createRouter();
 * router.post("/login", () => new Response(null, {
 *   status: 302,
 *   headers: { "Location": "/", "Set-Cookie": "user=ada; HttpOnly" },
 * }));
 * router.get("/", ({ headers }) => new Response(headers.get("Cookie")));
 *
 * const client = createTestClient(router);
 * const response = await client.fetch("/login", {
 *   method: "POST",
 *   followRedirects: true,
 * });
 * assertEquals(await response.text(), "user=ada");
 * ```
 *
 * @param target The router, or any object with a `fetch` method.
 * @param options The origin and the client's address.
 * @returns The client.
 */
export function createTestClient(
  target: TestTarget,
  options: TestClientOptions = {},
): TestClient {
  const { origin = "https://test.example", remoteAddress } = options;
  const platform = remoteAddress === undefined
    ? []
    : [{ remoteAddr: { hostname: remoteAddress } }];
  const cookies = new Map<string, string>();
  return { cookies, fetch: send };

  async function send(
    path: string,
    // Workers do not implement `credentials`.
    { credentials, followRedirects = false, ...init }: TestRequestInit = {},
  ): Promise<Response> {
    const jar = credentials === "omit" ? new Map<string, string>() : cookies;
    let url = new URL(path, origin);
    for (let hops = 0;; hops++) {
      const request = new Request(url, init);
      const response = await target.fetch(
        withCookies(request, jar),
        ...platform,
      );
      for (const line of response.headers.getSetCookie()) {
        storeCookie(line, jar);
      }
      const next = followRedirects ? redirectOf(response, url) : null;
      if (next === null) return response;
      if (hops === 10) throw new Error("Cannot follow more than 10 redirects");
      await response.body?.cancel();
      url = next;
      if (becomesGet(response.status, request.method)) init = toGet(init);
    }
  }
}

function withCookies(
  request: Request,
  cookies: ReadonlyMap<string, string>,
): Request {
  if (cookies.size === 0 || request.headers.has("Cookie")) return request;
  const copy = new Request(request);
  const pairs = [...cookies].map(([name, value]) => `${name}=${value}`);
  copy.headers.set("Cookie", pairs.join("; "));
  return copy;
}

function storeCookie(line: string, cookies: Map<string, string>): void {
  const [pair, ...attributes] = line.split(";").map((part) => part.trim());
  const equals = pair.indexOf("=");
  if (equals < 1) return;
  const name = pair.slice(0, equals).trim();
  if (isExpired(attributes)) cookies.delete(name);
  else cookies.set(name, pair.slice(equals + 1).trim());
}

/** Returns `true` if a cookie has expired (RFC 6265, section 5.3, step 3). */
function isExpired(attributes: readonly string[]): boolean {
  const last = (name: RegExp) =>
    attributes.findLast((attribute) => name.test(attribute))?.split("=")[1];
  const age = last(/^max-age=-?\d+$/i);
  return age === undefined
    ? Date.parse(last(/^expires=/i) ?? "") <= Date.now()
    : Number(age) <= 0;
}

/** Returns the target of a redirect if it is on the same origin. */
function redirectOf({ headers, status }: Response, from: URL): URL | null {
  const location = headers.get("Location");
  if (location === null || !isRedirect(status)) return null;
  const url = new URL(location, from);
  return url.origin === from.origin ? url : null;
}

/** Returns `true` if a redirect turns the request into a GET (Fetch, 4.4). */
function becomesGet(status: number, method: string): boolean {
  return status === 303
    ? method !== "GET" && method !== "HEAD"
    : status < 303 && method === "POST";
}

function toGet({ headers, body: _body, ...init }: RequestInit): RequestInit {
  const kept = new Headers(headers);
  for (const name of [...kept.keys()]) {
    if (name.startsWith("content-")) kept.delete(name);
  }
  return { ...init, method: "GET", headers: kept };
}
