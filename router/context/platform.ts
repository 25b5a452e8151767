import { type ContextKey, createContextKey } from "./context_key.ts";

/** The empty array that all requests share. */
export const EMPTY: readonly never[] = /* @__PURE__ */ Object.freeze([]);

/**
 * The key of the arguments that the runtime passed after the request: for
 * example Deno's info, Bun's server, the `env` and `ctx` of Workers, or the
 * `runtime` of srvx on Node. It is empty if the runtime passed none.
 */
export const Platform: ContextKey<readonly unknown[]> =
  /* @__PURE__ */ createContextKey<readonly unknown[]>(EMPTY, {
    name: "Platform",
  });

/**
 * Returns the key {@linkcode Platform} with the types of your runtime's
 * arguments, such as the bindings of a Worker.
 *
 * Trust: the library does not check these types. In a test, pass the values to
 * `router.fetch` after the request.
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
 * @typeParam Arguments The arguments after the request, in order.
 * @returns The key.
 */
export function platformKey<
  Arguments extends readonly unknown[],
>(): ContextKey<Arguments> {
  return Platform as unknown as ContextKey<Arguments>;
}

/** A request of Node's `http` module. */
interface Incoming {
  readonly socket?: { readonly remoteAddress?: unknown };
}

/** An argument of a runtime. Applications may pass others. */
type PlatformArgument =
  | {
    readonly remoteAddr?: { readonly hostname?: unknown };
    readonly requestIP?: (request: Request) => { address?: unknown } | null;
    readonly waitUntil?: unknown;
    /** Passed by `@hono/node-server`. */
    readonly incoming?: Incoming;
    /** Part of `request.runtime` of srvx. */
    readonly node?: { readonly req?: Incoming };
  }
  | null
  | undefined;

/**
 * Returns the address of the peer from the arguments of the runtime.
 *
 * Trust: Deno, Bun and Node pass the address of the socket. Workers have no
 * socket, and the edge writes `CF-Connecting-IP`. The header is ignored anywhere
 * else.
 */
export function peerAddress(
  request: Request,
  platform: readonly unknown[],
): string | undefined {
  const [first, second] = platform as readonly PlatformArgument[];
  let address: unknown;
  if (first?.remoteAddr) address = first.remoteAddr.hostname;
  else if (typeof first?.requestIP === "function") {
    address = first.requestIP(request)?.address;
  } else if (typeof second?.waitUntil === "function") {
    address = request.headers.get("CF-Connecting-IP");
  } else address = (first?.incoming ?? first?.node?.req)?.socket?.remoteAddress;
  return typeof address === "string" ? address : undefined;
}
