import type { SessionStore } from "@gatehouse/web/session";
import { createFactorApp, unlimited } from "./_second_factor_app.ts";

/**
 * Sends one code of an authenticator app in 100 concurrent requests, and then one
 * recovery code.
 *
 * @returns The number of logins with each.
 */
export async function useCodeAtOnce(store: SessionStore): Promise<number[]> {
  // Each run has another user, because stores outlast a test.
  const user = Math.floor(Math.random() * 2 ** 40);
  const app = createFactorApp({ store, throttle: unlimited });
  const { secret, codes } = await app.enable(user);
  const logins: number[] = [];
  for (const code of [await app.code(secret), codes[0]]) {
    const browsers = Array.from({ length: 100 }, () => app.browser());
    await Promise.all(browsers.map((browser) => browser.login(user)));
    const results = await Promise.all(browsers.map((one) => one.send(code)));
    logins.push(results.filter((result) => result === "ok").length);
  }
  return logins;
}
