import * as api from "npm:@opentelemetry/api@1.9.0";
import { bodyLimit } from "@gatehouse/web/body-limit-middleware";
import { cors } from "@gatehouse/web/cors-middleware";
import { createRouter } from "@gatehouse/web/fetch-router";
import { onSecurityEvent } from "@gatehouse/web/security-events-middleware";
import { telemetry } from "@gatehouse/web/telemetry-middleware";
import { timeout } from "@gatehouse/web/timeout-middleware";
import type { Fetch } from "./_dispatch.ts";

/**
 * Creates the application of the other servers behind five middleware of an API:
 * telemetry without an SDK, security events, CORS, and limits of bodies and time.
 */
export function createEntries(): Fetch {
  const router = createRouter({
    middleware: [
      telemetry({ api }),
      onSecurityEvent(() => {}),
      cors({ trustedOrigins: ["https://app.example"] }),
      bodyLimit({ maxBytes: 1_048_576 }),
      timeout(30_000),
    ],
  });
  router.get("/users/:id", ({ params }) => new Response(params.id));
  return router.fetch;
}
