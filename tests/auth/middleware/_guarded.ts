import { Auth, type AuthenticatedUser } from "@gatehouse/web/auth-middleware";
import { type Middleware, RequestContext } from "@gatehouse/web/fetch-router";

/** Returns the response of a guard to a user, before a handler with "secret". */
export async function answer(
  guard: Middleware,
  user: AuthenticatedUser | null,
): Promise<[status: number, body: string]> {
  const context = new RequestContext(new Request("https://example.com/a?b=1"));
  context.set(Auth, user);
  const next = () => Promise.resolve(new Response("secret"));
  const response = await guard(context, next) as Response;
  return [response.status, await response.text()];
}

export const ok: [number, string] = [200, "secret"];
