import { timeoutError } from "./_forward_body.ts";
import type { ResolvedForwardOptions } from "./forward_options.ts";

/** The time of one forwarded request, until the end of its response. */
export class UpstreamCall {
  readonly #controller = new AbortController();
  readonly #client: AbortSignal;
  readonly #beginning: ReturnType<typeof setTimeout>;
  readonly #total: ReturnType<typeof setTimeout>;
  readonly #aborted: Promise<never>;

  /** @param client The signal of a client that leaves. */
  constructor(
    client: AbortSignal,
    { responseTimeout, totalTimeout }: ResolvedForwardOptions,
  ) {
    const { promise, reject } = Promise.withResolvers<never>();
    promise.catch(() => {});
    this.#aborted = promise;
    this.signal.addEventListener("abort", () => reject(this.signal.reason));
    this.#beginning = this.#abortAfter(responseTimeout, "no response");
    this.#total = this.#abortAfter(totalTimeout, "no complete response");
    this.#client = client;
    client.addEventListener("abort", this.#onLeave);
    if (client.aborted) this.#onLeave();
  }

  /** Aborts the request to the API. */
  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** `true` if the client has left. */
  get isLeft(): boolean {
    return this.signal.aborted && this.signal.reason === this.#client.reason;
  }

  /** Waits for a response. A custom `fetch` may ignore the signal. */
  async waitFor(response: Promise<Response>): Promise<Response> {
    response.then((late) => {
      if (this.signal.aborted) late.body?.cancel().catch(() => {});
    }, () => {});
    return await Promise.race([response, this.#aborted]);
  }

  /** Ends the wait for the response. From now on, the client cancels its body. */
  begin(): void {
    clearTimeout(this.#beginning);
    this.#client.removeEventListener("abort", this.#onLeave);
  }

  /** Stops the timers, and the request if it is still running. */
  readonly end = (): void => {
    this.begin();
    clearTimeout(this.#total);
    this.#controller.abort();
  };

  readonly #onLeave = () => this.#controller.abort(this.#client.reason);

  #abortAfter(time: number, what: string): ReturnType<typeof setTimeout> {
    return setTimeout(() => {
      this.#controller.abort(timeoutError(`${what} within ${time} ms`));
    }, time);
  }
}
