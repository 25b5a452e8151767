import {
  createContextKey,
  createRouter,
  MountPrefix,
  type RequestContext,
} from "@gatehouse/web/fetch-router";

/** What the outermost middleware saw, and a mounted router does not. */
const Outside = createContextKey<string>();

/** The patterns of the routes; the more specific one comes first. */
export const PATTERNS = [
  "/guarded/*",
  "https://admin.example/*",
  "http://admin.example/*",
  "/open/:page",
  "/open/*",
] as const;

/** Answers with what it knows of a request, and turns away what it guards. */
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
