import type {
  AuthenticatedUser,
  AuthScheme,
} from "@gatehouse/web/auth-middleware";
import { RequestContext } from "@gatehouse/web/fetch-router";

/** Returns the credentials that a scheme reads, or `null`. */
export async function read(
  scheme: AuthScheme<AuthenticatedUser>,
  headers: [string, string][],
  path = "/",
): Promise<unknown> {
  const request = new Request(`https://example.com${path}`, { headers });
  const outcome = await scheme.authenticate(new RequestContext(request));
  return outcome.status === "authenticated" ? outcome.user.id : null;
}
