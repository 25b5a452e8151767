import {
  authorizePath,
  browserOf,
  readConsent,
  type TestServer,
} from "../_server.ts";

/** Opens the consent page in a new browser. */
export async function openConsent(
  app: TestServer,
  params: Readonly<Record<string, string>> = {},
  user = "1",
) {
  const browser = await browserOf(app, user);
  const page = await browser.fetch(authorizePath(params));
  const { headers } = page;
  return { browser, headers, form: await readConsent(page) };
}
