import {
  auth,
  type AuthenticatedUser,
  type AuthScheme,
  createAPIAuthScheme,
  createBearerTokenAuthScheme,
} from "@gatehouse/web/auth-middleware";
import { createRouter, type Middleware } from "@gatehouse/web/fetch-router";

/** A scheme with one token. */
export const tokens = createBearerTokenAuthScheme({
  name: "tokens",
  verify: (token) => token === "t0ken" ? { id: 1, role: "user" } : null,
});
/** A scheme with one API key. */
export const keys = createAPIAuthScheme({
  name: "keys",
  header: "X-API-Key",
  verify: (key) => key === "k3y" ? { id: "key", role: "api" } : null,
});

/** Returns the response of a router with a guard. */
export async function fetchGuarded(
  guard: Middleware,
  headers: Record<string, string>,
  schemes: readonly AuthScheme<AuthenticatedUser>[] = [tokens, keys],
): Promise<Response> {
  const router = createRouter({ middleware: [auth({ schemes })] });
  router.get("/", { middleware: [guard] }, () => new Response("secret"));
  return await router.fetch("https://example.com/", { headers });
}
