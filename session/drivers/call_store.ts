import { SessionStoreError } from "../errors.ts";

/** The default timeout of a call to a store, in milliseconds. */
export const STORE_TIMEOUT = 5_000;

/**
 * Calls a store. Errors and timeouts become a `SessionStoreError`.
 *
 * @throws {SessionStoreError} If the store throws, rejects or takes too long.
 */
export function callStore<Value>(
  verb: string,
  call: () => Value | Promise<Value>,
  timeout: number,
): Value | Promise<Value> {
  let result: Value | Promise<Value>;
  try {
    result = call();
  } catch (cause) {
    throw new SessionStoreError(verb, { cause });
  }
  return typeof (result as Promise<Value> | null)?.then === "function"
    ? withTimeout(verb, result as Promise<Value>, timeout)
    : result;
}

async function withTimeout<Value>(
  verb: string,
  result: Promise<Value>,
  timeout: number,
): Promise<Value> {
  const { promise, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(
    () => reject(new Error(`No answer within ${timeout} ms`)),
    timeout,
  );
  try {
    return await Promise.race([result, promise]);
  } catch (cause) {
    throw new SessionStoreError(verb, { cause });
  } finally {
    clearTimeout(timer);
  }
}
