import type { ExternalAuthTokens } from "@gatehouse/web/auth";
import { clientOf, logIn } from "../../_login.ts";
import { TestProvider } from "../../_test_provider.ts";

export async function loggedIn() {
  const provider = await TestProvider.create();
  const { result } = await logIn(provider);
  if (!result.ok) throw result.error;
  const tokens: ExternalAuthTokens = result.tokens;
  return { client: clientOf(provider), provider, tokens };
}
