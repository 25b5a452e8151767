import {
  createContextKey,
  inTime,
  LaterWork,
  reportFailure,
} from "../../router/internal.ts";
import type {
  ContextKey,
  Middleware,
  RequestContext,
} from "../../router/mod.ts";
import type { Mail } from "./mail.ts";

/** The emails of a request, which wait for its response. */
const Waiting: ContextKey<Mail[] | null> = /* @__PURE__ */ createContextKey<
  Mail[] | null
>(null, { name: "Outbox" });

/** The maximum number of emails that a process sends at the same time. */
const MAX_UNDER_WAY = 1_000;

/** The maximum time of one attempt, in milliseconds. */
const TIMEOUT = 60_000;

/**
 * Sends emails after the response, so that response time reveals no account. It
 * retries a failed email once, and reports a second failure as an event. An
 * attempt that takes too long has failed.
 */
export class Outbox {
  readonly #send: (mail: Mail) => void | Promise<void>;
  readonly #timeout: number;
  readonly #running = new LaterWork();

  constructor(
    send: (mail: Mail) => void | Promise<void>,
    timeout: number = TIMEOUT,
  ) {
    this.#send = send;
    this.#timeout = timeout;
  }

  /** The middleware of the pages: it sends their emails after the response. */
  readonly middleware: Middleware<readonly []> = async (context, next) => {
    const waiting: Mail[] = [];
    context.set(Waiting, waiting);
    const response = await next();
    context.set(Waiting, null);
    for (const mail of waiting) this.#start(mail, context);
    return response;
  };

  /** Adds an email to those of a request. */
  add(context: RequestContext, mail: Mail): void {
    const waiting = context.get(Waiting);
    if (waiting === null) this.#start(mail, context);
    else waiting.push(mail);
  }

  /** Sends an email at once. It never rejects. */
  async send(mail: Mail): Promise<void> {
    await this.#deliver(mail);
  }

  /** Waits for the emails that are being sent. */
  flush(): Promise<void> {
    return this.#running.flush();
  }

  #start(mail: Mail, context: RequestContext): void {
    if (this.#running.size >= MAX_UNDER_WAY) {
      console.error("Cannot send email: too many emails are waiting");
      reportFailure(context, "email-send", "too-many");
      return;
    }
    this.#running.add(context, this.#deliver(mail, context));
  }

  async #deliver(mail: Mail, context?: RequestContext): Promise<void> {
    // Even a synchronous function must not delay the response.
    await new Promise((resolve) => setTimeout(resolve));
    try {
      await this.#attempt(mail);
    } catch {
      try {
        await this.#attempt(mail);
      } catch (error) {
        console.error(`Cannot send email: ${nameOf(error)}`);
        if (context) reportFailure(context, "email-send", "failed");
      }
    }
  }

  async #attempt(mail: Mail): Promise<void> {
    // A server that never answers must not keep the place of other emails.
    const late = () => new DOMException("It took too long", "TimeoutError");
    await inTime(Promise.resolve(this.#send(mail)), this.#timeout, late);
  }
}

/**
 * Returns the name of an error's class. Everything else may contain the email,
 * which has a secret link.
 */
function nameOf(error: unknown): string {
  const name = error instanceof Error ? error.name : "";
  return /^[A-Z][A-Za-z]{0,39}$/.test(name) ? name : "error";
}
