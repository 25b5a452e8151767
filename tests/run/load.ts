import { LIMIT } from "./limits.ts";

/**
 * Loads a file of tests. If it throws or takes too long, a failed test says so,
 * and the other files of its wrapper run.
 */
export async function load(
  file: string,
  importFile: () => Promise<unknown>,
): Promise<void> {
  const late = Promise.withResolvers<never>();
  const timer = setTimeout(
    () => late.reject(new Error(`${file} does not load in ${LIMIT} ms`)),
    LIMIT,
  );
  try {
    await Promise.race([importFile(), late.promise]);
  } catch (error) {
    Deno.test(`${file} loads`, () => {
      throw error;
    });
  } finally {
    clearTimeout(timer);
  }
}
