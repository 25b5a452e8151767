import {
  approve,
  createOAuthMCP,
  type OAuthMCPOptions,
} from "./_oauth_mcp_app.ts";
import { freePort } from "./_programs.ts";
import { serveLocally } from "./_serve.ts";

/** Serves the application on a free port. */
export function startOAuthMCP(options: OAuthMCPOptions = {}) {
  const port = freePort();
  const origin = `http://localhost:${port}`;
  const app = createOAuthMCP(origin, options);
  const listener = serveLocally((request) => app.router.fetch(request), {
    port,
  });
  return {
    ...app,
    origin,
    /** Sets the clock forward. */
    wait(milliseconds: number) {
      const { now } = app.clock;
      app.clock.now = () => now() + milliseconds;
    },
    approve: (page: URL) => approve(app.router, origin, page),
    [Symbol.asyncDispose]: () => listener.shutdown(),
  };
}
