import { isDomain, isPublicAddress } from "./_public_address.ts";

/** Sends a GET request. */
export type Fetch = (url: string, init: RequestInit) => Promise<Response>;

/** The world of {@linkcode createPinnedFetch}, which tests replace. */
export interface PinnedFetchOptions {
  /**
   * The name servers, such as `127.0.0.1:53`.
   *
   * @default {those of the system}
   */
  readonly nameServers?: readonly string[];
  /**
   * Returns `true` for an address that may be connected to.
   *
   * @default {public unicast addresses}
   */
  readonly isAllowed?: (address: string) => boolean;
}

/** The runtimes with `node:https` whose `lookup` option decides about the address. */
const PINNING_RUNTIMES = /^(?:Deno|Bun|Node\.js)\//;

/**
 * Returns a function that fetches from public hosts only, or `null` if this runtime
 * has none.
 *
 * The runtime decides, not the presence of a module: Workers have `node:https` too,
 * with another network. They refuse other hosts with the compatibility flag
 * `global_fetch_strictly_public`.
 */
export function publicFetch(): Fetch | null {
  const { Cloudflare, navigator } = globalThis as {
    Cloudflare?: { readonly compatibilityFlags?: Record<string, boolean> };
    navigator?: { readonly userAgent?: string };
  };
  if (PINNING_RUNTIMES.test(navigator?.userAgent ?? "")) {
    return createPinnedFetch();
  }
  const flags = Cloudflare?.compatibilityFlags;
  return flags?.global_fetch_strictly_public === true
    ? (url, init) => fetch(url, init)
    : null;
}

/** The most addresses of each family that are tried, IPv4 first. */
const MAX_ADDRESSES = 3;

/**
 * Creates a function that sends GET requests with https to public hosts only.
 *
 * It resolves the name, refuses the host if any of its addresses is not public, and
 * connects to these addresses. The name is not resolved again, so its owner cannot
 * answer with a private address the second time (DNS rebinding). TLS verifies the
 * certificate for the name. The function follows no redirect, and refuses
 * compressed responses: a response can be compressed several times.
 */
export function createPinnedFetch(
  { isAllowed = isPublicAddress, nameServers }: PinnedFetchOptions = {},
): Fetch {
  return async (input, { headers, signal }) => {
    const url = new URL(input);
    const { hostname, protocol } = url;
    if (protocol !== "https:" || !isDomain(hostname)) {
      throw new Error("the URL has no name of a public host");
    }
    const aborted = signal ?? new AbortController().signal;
    const addresses = await addressesOf(hostname, aborted, nameServers);
    if (addresses.length === 0) throw new Error("the host has no address");
    if (!addresses.every(isAllowed)) {
      throw new Error("the host has an address that is not public");
    }
    aborted.throwIfAborted();
    const found = [4, 6].flatMap((family) =>
      addresses.filter((address) => address.includes(":") === (family === 6))
        .slice(0, MAX_ADDRESSES).map((address) => ({ address, family }))
    );
    return await request(url, {
      // A new agent for each request, because the addresses may change. A proxy of
      // the environment would resolve the name again.
      agent: new (builtIn("node:https").Agent)({ proxyEnv: {} }),
      headers: { ...headers as object, "Accept-Encoding": "identity" },
      lookup: (_host, { all }, callback) =>
        all === true
          ? callback(null, found)
          : callback(null, found[0]!.address, found[0]!.family),
      signal: aborted,
    });
  };
}

/** An address of a host. */
interface Address {
  readonly address: string;
  readonly family: number;
}

/** The part of the options of `node:https` that is used. */
interface RequestOptions {
  readonly agent: object;
  readonly headers: object;
  readonly lookup: (
    host: string,
    options: { readonly all?: boolean },
    callback: (
      error: null,
      address: string | readonly Address[],
      family?: number,
    ) => void,
  ) => void;
  readonly signal: AbortSignal;
}

/** The part of a response of `node:https` that is used. */
interface Message extends AsyncIterable<Uint8Array> {
  readonly statusCode?: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  destroy(): void;
}

/** The part of the built-in modules of Deno, Bun and Node that is used. */
interface BuiltIn {
  "node:https": {
    readonly Agent: new (options: { readonly proxyEnv: object }) => object;
    request(
      url: URL,
      options: RequestOptions,
      onResponse: (message: Message) => void,
    ): {
      on(event: "error", listener: (error: Error) => void): void;
      end(): void;
    };
  };
  "node:dns": {
    readonly promises: {
      readonly Resolver: new (
        options: { readonly timeout: number; readonly tries: number },
      ) => {
        resolve4(host: string): Promise<string[]>;
        resolve6(host: string): Promise<string[]>;
        setServers(servers: readonly string[]): void;
        cancel(): void;
      };
    };
  };
}

/** Returns a built-in module. It is detected, because Workers lack it. */
function builtIn<Name extends keyof BuiltIn>(name: Name): BuiltIn[Name] {
  const { process } = globalThis as unknown as {
    process: { getBuiltinModule(name: string): unknown };
  };
  return process.getBuiltinModule(name) as BuiltIn[Name];
}

/** The timeout of one question to a name server, in milliseconds. */
const DNS_TIMEOUT = 2_000;

/**
 * Asks the name servers for all addresses of a host. It does not use
 * `dns.lookup`: Node calls that on the threads which also hash passwords, and a slow
 * name server would block them.
 */
async function addressesOf(
  host: string,
  signal: AbortSignal,
  nameServers: readonly string[] | undefined,
): Promise<string[]> {
  const { Resolver } = builtIn("node:dns").promises;
  const resolver = new Resolver({ timeout: DNS_TIMEOUT, tries: 2 });
  if (nameServers !== undefined) resolver.setServers(nameServers);
  const cancel = () => resolver.cancel();
  signal.addEventListener("abort", cancel, { once: true });
  try {
    const answers = await Promise.allSettled([
      resolver.resolve4(host),
      resolver.resolve6(host),
    ]);
    return answers.flatMap((answer) =>
      answer.status === "fulfilled" ? answer.value : []
    );
  } finally {
    signal.removeEventListener("abort", cancel);
  }
}

function request(url: URL, options: RequestOptions): Promise<Response> {
  const { promise, reject, resolve } = Promise.withResolvers<Response>();
  const sent = builtIn("node:https").request(url, options, (message) => {
    try {
      resolve(responseOf(message));
    } catch (error) {
      // The status or a header is malformed, or the body is compressed.
      message.destroy();
      reject(error);
    }
  });
  sent.on("error", reject);
  sent.end();
  return promise;
}

/** The headers of a response that are read. */
const HEADERS = ["age", "cache-control", "content-type"];

function responseOf(message: Message): Response {
  const headers = HEADERS.flatMap((name): [string, string][] => {
    const value = message.headers[name];
    return value === undefined ? [] : [[name, String(value)]];
  });
  const { statusCode: status = 0 } = message;
  if ((message.headers["content-encoding"] ?? "identity") !== "identity") {
    throw new Error("the response is compressed");
  }
  return new Response(ReadableStream.from(message), { status, headers });
}
