/** A router and requests for the tests of `cors()`. */
import {
  createRouter,
  type Middleware,
  type Router,
} from "@gatehouse/web/fetch-router";
import { cors, type CORSOptions } from "@gatehouse/web/middleware";

export const api = "https://api.example";
export const app = "https://app.example";
export const evil = "https://evil.example";
export const ok = () => new Response("ok");
export const forbid: Middleware<readonly []> = () =>
  new Response("Forbidden", { status: 403 });

/** A request as a script makes it. */
export interface ScriptRequest {
  readonly origin?: string;
  readonly method?: string;
  readonly path?: string;
  readonly headers?: readonly string[];
  readonly includesCredentials?: boolean;
}

/** Returns what a preflight gets. */
export function preflight(
  router: Router,
  { origin = app, method = "PUT", path = "/notes", headers = [] }:
    ScriptRequest = {},
  others: Record<string, string> = {},
): Promise<Response> {
  const asked: Record<string, string> = {
    Origin: origin,
    "Access-Control-Request-Method": method,
    ...others,
  };
  if (headers.length > 0) {
    asked["Access-Control-Request-Headers"] = headers.join(",");
  }
  return router.fetch(api + path, { method: "OPTIONS", headers: asked });
}

export function createNotes(options: CORSOptions): Router {
  const requireKey: Middleware<readonly []> = ({ request }) =>
    request.headers.has("x-key") ? undefined : forbid(null!, null!);
  const router = createRouter({
    middleware: [cors(options)],
    onError: () => new Response("sorry", { status: 500 }),
  });
  router.get("/notes", ok);
  router.put("/notes", requireKey, ok);
  router.route("ANY", "/any", ok);
  router.route("PROPFIND", "/dav", ok);
  router.get("/throws", () => {
    throw new Error("bug");
  });
  return router;
}

export const trusting: CORSOptions = { trustedOrigins: [app] };
export const open: CORSOptions = { trustedOrigins: "*" };
