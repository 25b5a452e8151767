import { type ContextKey, createContextKey } from "./context_key.ts";

/** The list of nothing that all requests share. */
export const NONE: readonly never[] = /* @__PURE__ */ Object.freeze([]);

/**
 * The key of what the runtime passed beside the request: Deno's info, Bun's
 * server, or the `env` and `ctx` of Workers. Empty where nothing was passed.
 */
export const Platform: ContextKey<readonly unknown[]> =
  /* @__PURE__ */ createContextKey<readonly unknown[]>(NONE, {
    name: "Platform",
  });

/**
 * Returns the key {@linkcode Platform} with the types of what your runtime
 * passes, such as the bindings of a Worker.
 *
 * Trust: nothing checks that the runtime passes values of these types. In a test,
 * pass them to `router.fetch` after the request.
 *
 * @example The bindings of a Worker
 * ```ts
 * import { assertEquals } from "@std/assert";
 * import { createRouter, platformKey } from "@gatehouse/web/fetch-router";
 *
 * interface Env {
 *   readonly GREETING: string;
 * }
 * const WorkerPlatform = platformKey<readonly [env: Env]>();
 *
 * const router = createRouter();
 * router.get("/", (context) => {
 *   const [env] = context.get(WorkerPlatform);
 *   return new Response(env.GREETING);
 * });
 *
 * const request = new Request("https://example.com/");
 * const response = await router.fetch(request, { GREETING: "Hello" }, {});
 * assertEquals(await response.text(), "Hello");
 * ```
 *
 * @typeParam Arguments What the runtime passes after the request, in order.
 * @returns The key.
 */
export function platformKey<
  Arguments extends readonly unknown[],
>(): ContextKey<Arguments> {
  return Platform as unknown as ContextKey<Arguments>;
}

/** What runtimes pass, as far as it is looked at. Applications pass others. */
type Passed =
  | {
    readonly remoteAddr?: { readonly hostname?: unknown };
    readonly requestIP?: (request: Request) => { address?: unknown } | null;
    readonly waitUntil?: unknown;
  }
  | null
  | undefined;

/**
 * Reads the address of the peer out of what the runtime passed.
 *
 * Trust: Deno and Bun tell the address of the socket. On Workers there is none,
 * and the edge itself writes `CF-Connecting-IP`; the header is not looked at
 * anywhere else.
 */
export function peerAddress(
  request: Request,
  platform: readonly unknown[],
): string | undefined {
  const [first, second] = platform as readonly Passed[];
  let address: unknown;
  if (first?.remoteAddr) address = first.remoteAddr.hostname;
  else if (typeof first?.requestIP === "function") {
    address = first.requestIP(request)?.address;
  } else if (typeof second?.waitUntil === "function") {
    address = request.headers.get("CF-Connecting-IP");
  }
  return typeof address === "string" ? address : undefined;
}
