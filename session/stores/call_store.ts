import { SessionStoreError } from "../errors.ts";

/** Milliseconds that a call to a store may take, unless somebody says so. */
export const STORE_TIMEOUT = 5_000;

/**
 * Calls a store so that its failure has our name, and so that a store that
 * never answers is one that failed.
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
  return isPromise(result) ? settle(verb, result, timeout) : result;
}

async function settle<Value>(
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

function isPromise<Value>(
  value: Value | Promise<Value>,
): value is Promise<Value> {
  return typeof (value as Promise<Value> | null)?.then === "function";
}
