/** A server in this process. */
export interface TestServer extends AsyncDisposable {
  /** The address that it listens on. */
  readonly addr: Deno.NetAddr;
  /** Closes all connections. */
  shutdown(): Promise<void>;
}

/**
 * Serves on a free port of 127.0.0.1 until the end of its block, and then closes
 * all connections. The shutdown of Deno's server would wait for clients: after a
 * failed assertion, those of a stream never leave.
 */
export function serveLocally(
  handler: Deno.ServeHandler<Deno.NetAddr>,
  options:
    | Deno.ServeTcpOptions
    | Deno.ServeTcpOptions & Deno.TlsCertifiedKeyPem = {},
): TestServer {
  const closing = new AbortController();
  const server = Deno.serve({
    hostname: "127.0.0.1",
    port: 0,
    onListen() {},
    ...options,
    signal: closing.signal,
  }, handler);
  const shutdown = async () => {
    closing.abort();
    await server.finished;
  };
  return { addr: server.addr, shutdown, [Symbol.asyncDispose]: shutdown };
}
