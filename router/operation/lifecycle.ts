import { inTime } from "../in_time.ts";
import { checkPositive, MAX_TIMEOUT } from "../limits.ts";

/** An object that has work to finish, such as a `batchOutput`. */
export interface Flushable {
  /** Finishes the work. */
  flush(): Promise<void>;
}

/** Options for {@linkcode createLifecycle}. */
export interface LifecycleOptions {
  /**
   * The checks of `ready`, by name. A check fails by throwing or rejecting, or by
   * taking longer than `checkTimeout`.
   *
   * @default {no checks}
   */
  readonly checks?: Readonly<Record<string, () => unknown>>;
  /**
   * The time limit of a check, in milliseconds. Make it shorter than the timeout
   * of the probes that call `ready`.
   *
   * @default {5_000}
   */
  readonly checkTimeout?: number;
  /**
   * The objects to flush after the last request: outputs of logs, security events.
   *
   * @default {[]}
   */
  readonly flush?: readonly Flushable[];
  /**
   * The time that load balancers have to notice that the process is not ready, in
   * milliseconds.
   *
   * @default {5_000}
   */
  readonly delay?: number;
  /**
   * The time that requests have to finish after that, and then the flushes, in
   * milliseconds.
   *
   * @default {10_000}
   */
  readonly timeout?: number;
}

/** The state of a process that serves requests. */
export interface Lifecycle {
  /** Aborts when the process stops. Pass it to `eventStream`. */
  readonly signal: AbortSignal;
  /**
   * Responds with 200 as long as the process runs.
   *
   * @returns The response.
   */
  live(): Response;
  /**
   * Responds with 200 if all checks pass, and with 503 otherwise and as soon as the
   * process stops.
   *
   * @returns The response.
   */
  ready(): Promise<Response>;
  /**
   * Reports "not ready", waits for `delay`, ends event streams, closes the server,
   * and flushes. Further calls return the same promise.
   *
   * @param close Stops accepting connections, and waits for the open requests.
   * @returns `true` if everything finished in time. It never rejects.
   */
  drain(close: () => unknown): Promise<boolean>;
}

/**
 * Creates the handlers of health checks, and a function that stops a server
 * without interrupting requests.
 *
 * `console.error` reports failed checks and timeouts. The responses do not contain
 * the reason.
 *
 * @example A process that stops
 * ```ts
 * import { assertEquals } from "@std/assert";
 * import { createRouter } from "@gatehouse/web/fetch-router";
 * import { createLifecycle } from "@gatehouse/web/middleware";
 *
 * const lifecycle = createLifecycle({ delay: 1 });
 * const router = createRouter();
 * router.get("/live", lifecycle.live);
 * router.get("/ready", lifecycle.ready);
 *
 * const stopped = lifecycle.drain(() => {}); // server.shutdown()
 * const { status } = await router.fetch("https://example.com/ready");
 * assertEquals(status, 503);
 * assertEquals(await stopped, true);
 * ```
 *
 * @param options The checks, and the objects to flush.
 * @returns The lifecycle.
 * @throws {RangeError} If a time is not a positive number up to 2,147,483,647.
 */
export function createLifecycle(options: LifecycleOptions = {}): Lifecycle {
  const { checks = {}, delay = 5_000, flush = [], timeout = 10_000 } = options;
  const { checkTimeout = 5_000 } = options;
  checkPositive("lifecycle", "checkTimeout", checkTimeout, MAX_TIMEOUT);
  checkPositive("lifecycle", "delay", delay, MAX_TIMEOUT);
  checkPositive("lifecycle", "timeout", timeout, MAX_TIMEOUT);
  const stopping = new AbortController();
  let isStopping = false;
  let checking: Promise<boolean> | undefined;
  let draining: Promise<boolean> | undefined;

  async function drain(close: () => unknown): Promise<boolean> {
    await new Promise((resolve) => setTimeout(resolve, delay));
    stopping.abort();
    const isClosed = await succeeds("close server", close, timeout);
    const flushed = flush.map((one) =>
      succeeds("flush", () => one.flush(), timeout)
    );
    return await all(flushed) && isClosed;
  }

  return {
    signal: stopping.signal,
    live: () => respond(true),
    async ready() {
      // Concurrent requests share the checks, so they cannot flood a database.
      checking ??= runChecks(checks, checkTimeout).finally(() =>
        checking = undefined
      );
      return respond(!isStopping && await checking && !isStopping);
    },
    drain(close) {
      isStopping = true;
      return draining ??= drain(close);
    },
  };
}

function runChecks(
  checks: Readonly<Record<string, () => unknown>>,
  timeout: number,
): Promise<boolean> {
  return all(
    Object.entries(checks).map(([name, check]) =>
      succeeds(`pass check "${name}"`, check, timeout)
    ),
  );
}

async function all(results: readonly Promise<boolean>[]): Promise<boolean> {
  return (await Promise.all(results)).every((isOK) => isOK);
}

function respond(isOK: boolean): Response {
  const headers = { "Cache-Control": "no-store" };
  return isOK
    ? new Response("OK", { headers })
    : new Response("Service Unavailable", { status: 503, headers });
}

/** Returns `true` if a function succeeds in time. Prints why it does not. */
async function succeeds(
  task: string,
  run: () => unknown,
  timeout: number,
): Promise<boolean> {
  const late = () => new Error(`Cannot ${task}: it took over ${timeout} ms`);
  try {
    await inTime(Promise.try(run), timeout, late);
    return true;
  } catch (error) {
    console.error(error);
    return false;
  }
}
