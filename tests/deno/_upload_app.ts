import { object, string } from "@gatehouse/web/data-schema";
import {
  createRouter,
  type Middleware,
  type RequestContext,
  type Router,
} from "@gatehouse/web/fetch-router";
import {
  auth,
  createBearerTokenAuthScheme,
  deviceChanges,
} from "@gatehouse/web/auth-middleware";
import { logger } from "@gatehouse/web/logger-middleware";
import {
  bodyLimit,
  cors,
  crossOriginProtection,
  etag,
  formData,
  methodOverride,
  secureHeaders,
  securityEvents,
  telemetry,
  timeout,
  validate,
  ValidForm,
  ValidJSON,
} from "@gatehouse/web/middleware";
import { createMemorySessionStore } from "@gatehouse/web/session";
import { rateLimit, session } from "@gatehouse/web/session-middleware";
import { createRecorder } from "../router/_open_telemetry.ts";
import * as forms from "@gatehouse/web/data-schema/form-data";

/** The largest body that the routes accept, in bytes. */
const MAX_BYTES = 100_000;

/** A route that reads a body behind some middleware. */
export interface UploadRoute {
  /** The media type of the body. */
  readonly type: string;
  /** Everything before the content of a body, which ends with `after`. */
  readonly before: string;
  readonly after: string;
  /** The status of an empty body. Default: 200. */
  readonly emptyStatus?: number;
}

const TEXT = { type: "text/plain", before: "", after: "" };
const PAIRS = {
  type: "application/x-www-form-urlencoded",
  before: "note=",
  after: "",
};
const PART = {
  type: "multipart/form-data; boundary=limit",
  before: '--limit\r\nContent-Disposition: form-data; name="note"\r\n\r\n',
  after: "\r\n--limit--\r\n",
  emptyStatus: 400,
};
const JSON_NOTE = {
  type: "application/json",
  before: '{"note":"',
  after: '"}',
  emptyStatus: 400,
};

/**
 * Returns the routes, by their path. Each responds with the characters of the
 * content. This module exports functions only, as workerd requires.
 */
export function uploadRoutes(): Readonly<Record<string, UploadRoute>> {
  return {
    "/limit": TEXT,
    "/stream": TEXT,
    "/stack": TEXT,
    "/mounted": TEXT,
    "/behind/in": TEXT,
    "/form": PAIRS,
    "/multipart": PART,
    "/json": JSON_NOTE,
    "/valid-form": { ...PAIRS, emptyStatus: 422 },
  };
}

/**
 * Creates the application. `/started` has the paths of uploads, `/lines` their
 * log, and `/errors` what `onError` got.
 */
export function createApp(): Router {
  const started: string[] = [];
  const lines: string[] = [];
  const errors: string[] = [];
  const isUpload = ({ method }: RequestContext) => method === "POST";
  const router = createRouter({
    middleware: [
      (context, next) => {
        if (isUpload(context)) started.push(context.url.pathname);
        return next();
      },
      logger({
        format: ({ url, status }) => `${url} ${status}`,
        skip: (context) => !isUpload(context),
        output: (line) => lines.push(line),
      }),
    ],
    onError: (error) => {
      errors.push(String(error));
      return new Response("Internal Server Error", { status: 500 });
    },
  });
  router.get("/started", () => Response.json(started));
  router.get("/lines", () => Response.json(lines));
  router.get("/errors", () => Response.json(errors));
  router.get("/", () => new Response("Hello"));
  addReaders(router);
  return router;
}

function addReaders(router: Router): void {
  const limit = bodyLimit({ maxBytes: MAX_BYTES });
  const form = formData({ maxBytes: MAX_BYTES });
  const note = string();
  router.post("/limit", { middleware: [limit] }, countText);
  router.post("/unread", { middleware: [bodyLimit({ maxBytes: 1e9 })] }, () => {
    return new Response("Unauthorized", { status: 401 });
  });
  router.post("/stream", { middleware: [limit] }, countChunks);
  router.post(
    "/stack",
    { middleware: withOthers(limit) },
    countText,
  );
  router.post("/form", { middleware: [form] }, countNote);
  router.post("/multipart", { middleware: [form] }, countNote);
  router.post("/json", {
    middleware: [validate({ json: object({ note }) }, { maxBytes: MAX_BYTES })],
  }, (context) => count(context.get(ValidJSON).note));
  router.post("/valid-form", {
    middleware: [
      validate({ form: forms.object({ note }) }, { maxBytes: MAX_BYTES }),
    ],
  }, (context) => count(context.get(ValidForm).note));

  const inner = createRouter();
  inner.post("/", { middleware: [limit] }, countText);
  router.mount("/mounted", inner);
  const plain = createRouter();
  plain.post("/", countText);
  const outer = createRouter({ middleware: [limit] });
  outer.mount("/in", plain);
  router.mount("/behind", outer);
}

/** Returns the middleware that reads no body, and one that does. */
function withOthers(reader: Middleware): readonly Middleware[] {
  const store = createMemorySessionStore();
  const tokens = createBearerTokenAuthScheme({
    name: "tokens",
    verify: () => null,
  });
  return [
    telemetry({ api: createRecorder().api }),
    securityEvents(() => {}),
    secureHeaders(),
    cors({ trustedOrigins: ["https://app.example"] }),
    timeout(20_000),
    etag(),
    session({ store }),
    auth({ schemes: [tokens] }),
    deviceChanges({ onChange() {} }),
    crossOriginProtection(),
    rateLimit({ store, limit: 10_000, window: 60_000 }),
    methodOverride(),
    reader,
  ];
}

const count = (text = "") => new Response(`${text.length} characters`);

const countText = async ({ request }: RequestContext) =>
  count(await request.text());

const countNote = (context: RequestContext) =>
  count(String(context.get(FormData).get("note") ?? ""));

async function countChunks({ request }: RequestContext): Promise<Response> {
  let size = 0;
  for await (const chunk of request.body ?? []) size += chunk.byteLength;
  return new Response(`${size} characters`);
}
