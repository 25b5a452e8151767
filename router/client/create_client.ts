import type { AnyRoute, RouteMap } from "../routes/route.ts";
import type { Client, ClientOptions } from "./options.ts";
import { type AnyInput, createRequest } from "./_request.ts";
import { type AnyResult, fail, readResponse } from "./_response.ts";

/**
 * Creates a client from a route map: one function for each route, with the types
 * of its params, query, body and responses.
 *
 * The functions never reject: failures are results with problem details. They
 * follow no redirects, because another origin must not get the headers.
 *
 * Trust: without `validate`, the types of bodies are those that the server's
 * routes declare. Set it if the server may be another version, or not yours.
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
  const url = URL.parse(String(baseUrl));
  // URLs such as "data:," have no origin.
  if (!url || url.origin === "null") {
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

/** Returns `false` for a map, even if it has a route with the name `method`. */
function isRoute(entry: AnyRoute | RouteMap): entry is AnyRoute {
  return typeof entry.method === "string" || Array.isArray(entry.method);
}

async function call(
  route: AnyRoute,
  { base, fetch = send, headers, maxBytes, validate }: Settings,
  input: AnyInput = {},
): Promise<AnyResult> {
  let request: Request;
  try {
    request = await createRequest(route, input, base, headers);
  } catch (error) {
    return fail("request", "Invalid request", error);
  }
  const { signal } = input;
  try {
    signal?.throwIfAborted();
    const response = await fetch(request);
    const options = { maxBytes, signal, validate };
    return await readResponse(response, route, options);
  } catch (error) {
    return signal?.aborted
      ? fail("aborted", "Aborted", error)
      : fail("network", "Network error", error);
  }
}

/** Reads the global late, so that a page may replace it. */
function send(request: Request): Promise<Response> {
  return globalThis.fetch(request);
}
