import {
  createContextKey,
  type Middleware,
  platformKey,
  type RequestContext,
} from "@gatehouse/web/fetch-router";

/** An email to a user. */
export interface Mail {
  readonly to: string;
  readonly subject: string;
  readonly text: string;
}

/** The emails of a request. */
const Outbox = createContextKey<Mail[]>(undefined, { name: "Outbox" });

/** The `env` and `ctx` of Workers. Other runtimes have no `waitUntil`. */
const Runtime = platformKey<
  readonly [
    env: unknown,
    ctx?: { waitUntil?(promise: Promise<unknown>): void } | null,
  ]
>();

/** Sends an email after the response to a request. */
export function sendMail(context: RequestContext, mail: Mail): void {
  context.get(Outbox).push(mail);
}

/**
 * Creates a middleware that sends the emails of a request after its response: even
 * to begin a request to a mail server takes time, which would reveal accounts.
 *
 * @param send Sends an email.
 * @param reportError Receives the errors of `send`.
 */
export function outbox(
  send: (mail: Mail) => void | Promise<void>,
  reportError: (error: unknown) => void,
): Middleware<readonly []> {
  async function sendAll(mails: readonly Mail[]): Promise<void> {
    if (mails.length === 0) return;
    // Servers send the response before the next task.
    await new Promise((resolve) => setTimeout(resolve));
    for (const mail of mails) {
      await Promise.try(send, mail).catch(reportError);
    }
  }

  return (context, next) => {
    const mails: Mail[] = [];
    context.set(Outbox, mails);
    const response = next();
    const sent = response.then(() => sendAll(mails));
    // Workers would end the request, and its emails, with the response.
    context.get(Runtime)[1]?.waitUntil?.(sent);
    return response;
  };
}
