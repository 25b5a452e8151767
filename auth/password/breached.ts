import { encodeHex } from "../../session/secrets.ts";

// The limit is not imported from the router, parts of which this entry's
// bundles would then contain.
/**
 * The longest delay of a timer, in milliseconds. A timer with a longer delay
 * fires at once.
 */
const MAX_TIMEOUT = 2 ** 31 - 1;

/** Options for {@linkcode createBreachedPasswordCheck}. */
export interface BreachedPasswordOptions {
  /**
   * The URL of the range API, to which the first five characters of the hash are
   * appended.
   *
   * @default {"https://api.pwnedpasswords.com/range/"}
   */
  readonly url?: string;

  /**
   * The number of breaches from which a password is refused.
   *
   * @default {1}
   */
  readonly minCount?: number;

  /**
   * The timeout of the request, in milliseconds. After that time, the password
   * is accepted.
   *
   * @default {1_000}
   */
  readonly timeout?: number;

  /**
   * Sends the request.
   *
   * @default {globalThis.fetch}
   */
  readonly fetch?: typeof fetch;

  /**
   * Receives the error of a check that failed, so that the password was accepted.
   *
   * @default {undefined}
   */
  readonly onError?: (error: unknown) => void;
}

/**
 * The longest response that is read, in bytes. A padded one has about 35 kB.
 */
const MAX_BYTES = 200_000;

/**
 * Creates a `refuse` function for `hashPassword` that finds passwords known from
 * breaches, with the range API of Have I Been Pwned.
 *
 * The service learns only the first five of the forty SHA-1 digits. Responses
 * are padded, so that their length reveals nothing. If the service fails or
 * takes too long, the password is accepted.
 *
 * @example A password that is known from a breach
 * ```ts
 * import { assert, assertFalse, assertRejects } from "@std/assert";
 * import {
 *   createBreachedPasswordCheck,
 *   hashPassword,
 *   PasswordRefusedError,
 * } from "@gatehouse/web/auth/password";
 *
 * const refuse = createBreachedPasswordCheck({
 *   // In production, leave this out.
 *   fetch: () =>
 *     Promise.resolve(
 *       new Response("1E4C9B93F3F0682250B6CF8331B7EE68FD8:52256179\r\n"),
 *     ),
 * });
 * assert(await refuse("password"));
 * assertFalse(await refuse("correct horse battery staple"));
 * await assertRejects(
 *   () => hashPassword("password", { refuse }),
 *   PasswordRefusedError,
 * );
 * ```
 *
 * @param options The service, the timeout and the limit.
 * @returns The function, which never throws.
 * @throws {RangeError} If `minCount` or `timeout` is not a positive number.
 * @see {@link https://haveibeenpwned.com/API/v3#SearchingPwnedPasswordsByRange | Have I Been Pwned, range API}
 */
export function createBreachedPasswordCheck(
  options: BreachedPasswordOptions = {},
): (password: string) => Promise<boolean> {
  const {
    url = "https://api.pwnedpasswords.com/range/",
    minCount = 1,
    timeout = 1_000,
    fetch = globalThis.fetch,
    onError,
  } = options;
  for (const [name, value] of Object.entries({ minCount, timeout })) {
    if (value > 0 && value <= MAX_TIMEOUT) continue;
    throw new RangeError(
      `Cannot check for breached passwords: ${name} "${value}" is not a positive number`,
    );
  }
  const load = async (url: string, signal: AbortSignal) =>
    await textOf(
      await fetch(url, {
        headers: { "Add-Padding": "true" },
        // A redirect counts as a failure. Workers do not support "error" here.
        redirect: "manual",
        signal,
      }),
    );
  return async (password) => {
    try {
      const hash = await sha1(password);
      const rangeURL = url + hash.slice(0, 5);
      const text = await inTime((signal) => load(rangeURL, signal), timeout);
      return countIn(text, hash.slice(5)) >= minCount;
    } catch (error) {
      onError?.(error);
      return false;
    }
  };
}

/** Rejects if a function takes too long, even if it ignores the signal. */
async function inTime<Value>(
  run: (signal: AbortSignal) => Promise<Value>,
  timeout: number,
): Promise<Value> {
  const controller = new AbortController();
  const late = Promise.withResolvers<never>();
  const timer = setTimeout(() => {
    controller.abort();
    late.reject(new Error(`No answer within ${timeout} ms`));
  }, timeout);
  try {
    return await Promise.race([run(controller.signal), late.promise]);
  } finally {
    clearTimeout(timer);
  }
}

async function sha1(password: string): Promise<string> {
  const bytes = new TextEncoder().encode(password);
  const digest = await crypto.subtle.digest("SHA-1", bytes);
  return encodeHex(new Uint8Array(digest)).toUpperCase();
}

async function textOf(response: Response): Promise<string> {
  const { body, ok, status } = response;
  if (!ok || body === null) {
    await body?.cancel();
    throw new Error(
      `Cannot check for breached passwords: the service answered ${status}`,
    );
  }
  const decoder = new TextDecoder();
  let text = "";
  let length = 0;
  for await (const chunk of body) {
    length += chunk.length;
    if (length > MAX_BYTES) {
      throw new Error(
        `Cannot check for breached passwords: the response has more than ${MAX_BYTES} bytes`,
      );
    }
    text += decoder.decode(chunk, { stream: true });
  }
  // The response may come from something else, for example the error page of a
  // proxy.
  if (!/^[\dA-F]+:/i.test(text)) {
    throw new Error(
      "Cannot check for breached passwords: the response is not a list of hashes",
    );
  }
  return text;
}

/** Returns the number of breaches. Lines of the padding have the number 0. */
function countIn(text: string, suffix: string): number {
  for (const line of text.split("\n")) {
    const [found = "", count = ""] = line.trim().split(":");
    if (found.toUpperCase() === suffix) return Number(count) || 0;
  }
  return 0;
}
