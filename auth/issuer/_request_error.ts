/** The maximum length of a message of `fetch` that is read, in characters. */
const MAX_MESSAGE = 10_000;

/** The maximum number of errors in a chain of causes that are read. */
const MAX_CAUSES = 4;

/** The reason for an unusable response. Callers see it only as a cause. */
export class RequestError extends Error {
  override readonly name = "RequestError";
  /** The status of the response, if there was one. */
  readonly status: number | undefined;

  constructor(message: string, status?: number) {
    super(message);
    this.status = status;
  }
}

/** Returns the message of an error of `fetch`, without queries and secrets. */
export function messageOf(error: unknown, secrets: readonly string[]): string {
  const message = messagesOf(error).join(": ");
  if (message === "") return "fetch failed";
  if (message.length > MAX_MESSAGE) return "fetch failed, with a long message";
  return redact(message, secrets).slice(0, 500);
}

/** Reads the causes too: Deno and Node only say "fetch failed" themselves. */
function messagesOf(error: unknown): string[] {
  const messages: string[] = [];
  let current: unknown = error;
  for (let depth = 0; depth < MAX_CAUSES; depth++) {
    // There is one error for each address, and the first is enough.
    if (current instanceof AggregateError) current = current.errors[0];
    if (!(current instanceof Error)) break;
    const { cause, code, message } = current as Error & { code?: unknown };
    const isNew = message !== "" &&
      !messages.some((known) => known.includes(message));
    if (isNew) messages.push(message);
    else if (message === "" && typeof code === "string") messages.push(code);
    current = cause;
  }
  return messages;
}

/**
 * Removes secrets, the query of any URL and control characters, which could
 * start a line of a log.
 */
export function redact(text: string, secrets: readonly string[]): string {
  for (const secret of secrets.filter((secret) => secret !== "")) {
    const encoded = new URLSearchParams([["", secret]]).toString().slice(1);
    for (const form of [secret, encoded, encodeURIComponent(secret)]) {
      text = text.replaceAll(form, "…");
    }
  }
  return text.replaceAll(/\?[^\s"')]*/g, "?…")
    .replaceAll(/[^\x20-\x7e…]+/g, " ");
}
