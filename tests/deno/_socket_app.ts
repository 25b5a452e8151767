import {
  createContextKey,
  createRouter,
  MountPrefix,
  type RequestContext,
} from "@gatehouse/web/fetch-router";

/** A value from the outermost middleware, which a mounted router cannot see. */
const Outside = createContextKey<string>();

/** The patterns of the routes; the more specific one comes first. */
export const PATTERNS = [
  "/guarded/*",
  "https://admin.example/*",
  "http://admin.example/*",
  "/open/:page",
  "/open/*",
] as const;

/**
 * Responds with the details of a request, and rejects requests to guarded
 * paths.
 */
export function createApp(): ReturnType<typeof createRouter> {
  const inner = createRouter();
  inner.route("ANY", "/*", tell);
  const router = createRouter({
    trailingSlash: "redirect",
    middleware: [(context, next) => {
      context.set(Outside, context.url.href);
      return context.url.pathname.startsWith("/guarded")
        ? new Response("guarded", { status: 403 })
        : next();
    }],
  });
  for (const pattern of PATTERNS) router.get(pattern, tell);
  router.mount("/mounted", inner);
  return router;
}

function tell(context: RequestContext): Response {
  return Response.json({
    raw: context.request.url,
    url: context.url.href,
    outside: context.get(Outside),
    prefix: context.get(MountPrefix),
    route: context.route?.pattern.source,
    params: context.params,
  });
}
