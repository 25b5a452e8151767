import type { AnyRoute, RouteMap } from "../routes/route.ts";
import type { ClientFailureReason } from "./result.ts";
import type { Client, ClientOptions } from "./options.ts";
import { type AnyInput, createRequest } from "./_request.ts";
import { type AnyResult, readResponse } from "./_response.ts";

/**
 * Creates a client from a route map: one function for each route, with the types
 * of its params, query, body and responses.
 *
 * The functions never reject: failures are results with problem details. They
 * follow no redirects, because another origin must not get the headers.
 *
 * Trust: without `validate`, the types of bodies are those that the server's
 * routes declare. Set it if the server may run another version, or is not
 * yours.
 *
 * @example A route without a description
 * ```ts
 * import { assertEquals } from "@std/assert";
 * import { createClient } from "@gatehouse/web/client";
 * import { createRouter } from "@gatehouse/web/fetch-router";
 * import { post, route } from "@gatehouse/web/fetch-router/routes";
 *
 * const routes = route({ echo: post("/echo") });
 * const router = createRouter();
 * router.post(routes.echo, async ({ request }) => {
 *   return Response.json(await request.json());
 * });
 *
 * const baseUrl = "https://api.example";
 * const client = createClient(routes, { baseUrl, fetch: router.fetch });
 * const result = await client.echo({ json: { text: "Hello" } });
 * assertEquals(result.body, { text: "Hello" });
 * ```
 *
 * @typeParam Routes The route map.
 * @typeParam Validated `true` if the client validates bodies.
 * @param routes The route map.
 * @param options The server, and how to send requests.
 * @returns The functions by name.
 * @throws {TypeError} If there is no base URL, or it is invalid.
 */
export function createClient<
  Routes extends RouteMap,
  const Validated extends boolean = false,
>(
  routes: Routes,
  options: ClientOptions<Validated> = {},
): Client<Routes, Validated> {
  const { baseUrl = globalThis.location?.origin, maxBytes = 10_485_760 } =
    options;
  const url = URL.parse(`${baseUrl}`);
  if (!url?.origin.startsWith("http")) {
    throw new TypeError(`Cannot create a client of "${baseUrl}": invalid URL`);
  }
  const base = url.origin + url.pathname.replace(/\/$/, "");
  const client = createFunctions(routes, { ...options, base, maxBytes });
  return client as Client<Routes, Validated>;
}

interface Settings extends ClientOptions<boolean> {
  readonly base: string;
  readonly maxBytes: number;
}

function createFunctions(routes: RouteMap, settings: Settings): object {
  return Object.fromEntries(
    Object.entries(routes).map(([name, entry]) => [
      name,
      isRoute(entry)
        ? (input?: AnyInput) => call(entry, settings, input)
        : createFunctions(entry, settings),
    ]),
  );
}

/** Returns `false` for a map, even if it has a route with the name `pattern`. */
function isRoute(entry: AnyRoute | RouteMap): entry is AnyRoute {
  return typeof (entry as AnyRoute).pattern?.source === "string";
}

async function call(
  route: AnyRoute,
  { base, fetch = send, headers, maxBytes, validate }: Settings,
  input: AnyInput = {},
): Promise<AnyResult> {
  const { signal } = input;
  // Some functions ignore the signal, and so do the streams of a router.
  const { promise: aborted, reject } = Promise.withResolvers<never>();
  let reason: ClientFailureReason = "request";
  try {
    const request = await createRequest(route, input, base, headers);
    signal?.throwIfAborted();
    signal?.addEventListener("abort", reject);
    reason = "network";
    const answer = async () =>
      readResponse(await fetch(request), route, maxBytes, validate);
    return await Promise.race([answer(), aborted]);
  } catch (error) {
    if (signal?.aborted) reason = "aborted";
    const problem = { title: "Request failed", status: 0 };
    return { ok: false, reason, status: 0, problem, error };
  } finally {
    signal?.removeEventListener("abort", reject);
  }
}

/** Reads the global late, so that a page may replace it. */
function send(request: Request): Promise<Response> {
  return globalThis.fetch(request);
}
