import type { ExternalAuthError } from "@gatehouse/web/auth";
import { errorOf, logIn } from "../_login.ts";
import { TestProvider } from "../_test_provider.ts";

/** Returns the error of a login with this response of the token endpoint. */
export async function refusedWith(
  answer: (code: string) => Response | Promise<Response>,
): Promise<ExternalAuthError> {
  const provider = await TestProvider.create();
  provider.faults = {
    respond: ({ form, path }) =>
      path === "/token" ? answer(form.get("code")!) : undefined,
  };
  return errorOf(await logIn(provider));
}
