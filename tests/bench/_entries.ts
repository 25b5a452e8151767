import * as api from "npm:@opentelemetry/api@1.9.0";
import { createRouter } from "@gatehouse/web/fetch-router";
import {
  bodyLimit,
  cors,
  securityEvents,
  telemetry,
  timeout,
} from "@gatehouse/web/middleware";
import type { Fetch } from "./_dispatch.ts";

/**
 * Creates the application of the other servers behind five middleware of an API:
 * telemetry without an SDK, security events, CORS, and limits of bodies and time.
 */
export function createEntries(): Fetch {
  const router = createRouter({
    middleware: [
      telemetry({ api }),
      securityEvents(() => {}),
      cors({ trustedOrigins: ["https://app.example"] }),
      bodyLimit({ maxBytes: 1_048_576 }),
      timeout(30_000),
    ],
  });
  router.get("/users/:id", ({ params }) => new Response(params.id));
  return router.fetch;
}
