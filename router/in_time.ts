/**
 * Waits for a promise, up to a number of milliseconds.
 *
 * @param late Returns the error if the promise takes longer.
 */
export async function inTime<Value>(
  promise: Promise<Value>,
  timeout: number,
  late: () => unknown,
): Promise<Value> {
  const { promise: expiry, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(late()), timeout);
  try {
    return await Promise.race([promise, expiry]);
  } finally {
    clearTimeout(timer);
  }
}
