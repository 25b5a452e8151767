/** The part of an error that is safe to print. */
export interface SafeCause {
  /** The class of the error. */
  readonly name: string;
  /** The beginning of the message. */
  readonly message: string;
  /** The code, such as `"ECONNREFUSED"`. */
  readonly code?: string | number;
}

/** The longest message that is kept, in characters. */
const MAX_MESSAGE = 160;

/**
 * The first sign of an argument in a message. Databases and drivers quote the
 * values that they complain about ("invalid input syntax for type bigint: "x"",
 * "with args beginning with: 'x'"), and stored sessions are JSON. A URL can hold
 * a password, and a wrapper such as Drizzle lists parameters on a second line.
 */
const ARGUMENT =
  /["'`“‘«{[(<%=]|:\/\/|\p{Cc}|\p{Zl}|\p{Zp}|[\w+/~-]{25,}|\b(?:args|params|parameters|values?)\b/iu;

/** A name or a code: one short word. */
const WORD = /^[\w.-]{1,64}$/;

/**
 * Reduces the error of a driver to its name, its code and the part of its
 * message in front of the first argument. The rest can hold what was stored:
 * ioredis attaches the command, postgres.js the parameters.
 *
 * @param cause The error that the driver threw.
 * @returns A plain object, or `undefined` if there is no cause.
 */
export function safeCause(cause: unknown): SafeCause | undefined {
  if (cause === undefined) return undefined;
  const { code, message, name } = propertiesOf(cause);
  // A wrapper has no code, but the error inside has one.
  const known = codeOf(code) ??
    codeOf(propertiesOf(propertiesOf(cause).cause).code);
  return {
    name: typeof name === "string" && WORD.test(name) ? name : "Error",
    message: typeof message === "string" ? shortened(message) : "",
    ...known !== undefined && { code: known },
  };
}

function propertiesOf(value: unknown): Record<string, unknown> {
  return typeof value === "object" && value !== null
    ? value as Record<string, unknown>
    : {};
}

function codeOf(code: unknown): string | number | undefined {
  if (typeof code === "number") return code;
  return typeof code === "string" && WORD.test(code) ? code : undefined;
}

/** Cuts a message off in front of the first argument. */
function shortened(message: string): string {
  const end = message.search(ARGUMENT);
  if (end < 0 && message.length <= MAX_MESSAGE) return message;
  const length = Math.min(end < 0 ? Infinity : end, MAX_MESSAGE);
  return `${message.slice(0, length).trimEnd()} …`.trimStart();
}
