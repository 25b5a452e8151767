/**
 * What tests of an application need, and the contract of matchers.
 *
 * @module
 */
import { matcherChecks } from "./matching/matcher_checks.ts";
import { isRedirect } from "./_response.ts";
import type { Matcher } from "./matching/matcher.ts";

/** One test of a matcher. */
export interface MatcherTest {
  /** What the matcher does when the test passes. */
  readonly name: string;
  /** Runs the test; throws where the matcher breaks the contract. */
  run(): void;
}

/**
 * Lists the tests that a `Matcher` has to pass, whatever its implementation:
 * what patterns match, which route wins, duplicates, allowed methods.
 *
 * @example Testing a matcher with Deno, or with any `test(name, run)`
 * ```ts
 * import { ArrayMatcher } from "@gatehouse/web/fetch-router";
 * import { testMatcher } from "@gatehouse/web/fetch-router/testing";
 * import { assertGreater } from "@std/assert";
 *
 * const tests = testMatcher(() => new ArrayMatcher<string>());
 * // for (const { name, run } of tests) Deno.test(name, run);
 *
 * tests[0].run();
 * assertGreater(tests.length, 40);
 * ```
 *
 * @param createMatcher Makes a matcher without routes.
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

/** What a request of a test client takes. */
export interface TestRequestInit extends RequestInit {
  /**
   * Whether to follow redirects on the same origin, at most ten of them.
   *
   * @default {false}
   */
  readonly followRedirects?: boolean;
}

/** Sends requests to a router as one browser would. */
export interface TestClient {
  /**
   * Sends a request, with the cookies of earlier responses.
   *
   * @param path The path, or a URL.
   * @param init What to build the request with.
   * @returns The response.
   * @throws {Error} If there are more than ten redirects to follow.
   */
  fetch(path: string, init?: TestRequestInit): Promise<Response>;
  /** The cookies by name. */
  readonly cookies: ReadonlyMap<string, string>;
}

/** What a test client talks to. */
export interface TestTarget {
  /**
   * Answers a request.
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
 * Creates a client for tests: it takes paths, keeps cookies, and follows
 * redirects when asked.
 *
 * It knows one origin and no cookie attributes but `Max-Age`, `Expires` and a
 * removal, which is what a test of one application needs.
 *
 * @example Staying logged in
 * ```ts
 * import { assertEquals } from "@std/assert";
 * import { createRouter } from "@gatehouse/web/fetch-router";
 * import { createTestClient } from "@gatehouse/web/fetch-router/testing";
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
 * @param target The router, or anything that has a `fetch`.
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
    { followRedirects = false, ...init }: TestRequestInit = {},
  ): Promise<Response> {
    let url = new URL(path, origin);
    for (let hops = 0;; hops++) {
      const request = new Request(url, init);
      const response = await target.fetch(
        withCookies(request, cookies),
        ...platform,
      );
      for (const line of response.headers.getSetCookie()) keep(line, cookies);
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

function keep(line: string, cookies: Map<string, string>): void {
  const [pair, ...attributes] = line.split(";").map((part) => part.trim());
  const equals = pair.indexOf("=");
  if (equals < 1) return;
  const name = pair.slice(0, equals).trim();
  if (isOver(attributes)) cookies.delete(name);
  else cookies.set(name, pair.slice(equals + 1).trim());
}

/** Whether a cookie is gone at once (RFC 6265, section 5.3, step 3). */
function isOver(attributes: readonly string[]): boolean {
  const last = (name: RegExp) =>
    attributes.findLast((attribute) => name.test(attribute))?.split("=")[1];
  const age = last(/^max-age=-?\d+$/i);
  return age === undefined
    ? Date.parse(last(/^expires=/i) ?? "") <= Date.now()
    : Number(age) <= 0;
}

/** Where a response sends the browser, if that is on the same origin. */
function redirectOf({ headers, status }: Response, from: URL): URL | null {
  const location = headers.get("Location");
  if (location === null || !isRedirect(status)) return null;
  const url = new URL(location, from);
  return url.origin === from.origin ? url : null;
}

/** Whether a redirect drops the method and the body (Fetch, HTTP-redirect fetch). */
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
