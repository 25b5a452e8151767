import { assertEquals } from "@std/assert";
import { Login } from "../_login.ts";
import { TestProvider } from "../_test_provider.ts";

export const WELL_KNOWN = "/.well-known/openid-configuration";

/** Creates a provider of which only the token endpoint works after the first login. */
export async function withoutDocuments(
  answer: () => Response | Promise<Response>,
) {
  const provider = await TestProvider.create();
  let time = Date.now();
  provider.now = () => time;
  const login = new Login(provider);
  assertEquals((await login.run()).code, "");
  provider.faults = {
    respond: ({ path }) =>
      path === WELL_KNOWN || path === "/keys" ? answer() : undefined,
  };
  const pass = (ms: number) => time += ms;
  const count = () => provider.count(WELL_KNOWN) + provider.count("/keys");
  return { provider, login, pass, count };
}
