import { LIMIT, LOCATION } from "./limits.ts";

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

/** Defines the test that runs an example, which is a module. */
export function defineExample(
  name: string,
  location: string,
  importExample: () => Promise<unknown>,
): void {
  const fn = async () => void await importExample();
  Deno.test(name, Object.assign(fn, { [LOCATION]: location }));
}
