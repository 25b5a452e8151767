import type { SessionStore } from "@gatehouse/web/session";
import { createEmailApp } from "./_email_app.ts";
import { createFactorApp, unlimited } from "./_second_factor_app.ts";

/**
 * Sends one code of an authenticator app in 100 concurrent requests, then one
 * recovery code, and then one emailed link.
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
  return [...logins, await useLinkAtOnce(store)];
}

async function useLinkAtOnce(store: SessionStore): Promise<number> {
  const throttles = { mailThrottle: unlimited, codeThrottle: unlimited };
  const app = createEmailApp({ store, ...throttles });
  const browser = app.browser();
  await browser.ask();
  const body = JSON.stringify({ token: app.outbox[0]!.token });
  const headers = { cookie: browser.cookie() };
  const init = { method: "POST", headers, body };
  const responses = await Promise.all(
    Array.from(
      { length: 100 },
      () => app.fetch(new Request("https://test.example/link", init)),
    ),
  );
  const results = await Promise.all(responses.map((one) => one.json()));
  return results.filter(({ ok }) => ok).length;
}
