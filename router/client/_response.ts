// Reads the response of a call, and compares it with what the route declares.

import type {
  OperationResponses,
  ResponseDescription,
} from "../routes/operation.ts";
import { mediaType, mediaTypeOf } from "../content/media_type.ts";
import type { AnyRoute } from "../routes/route.ts";
import type { ClientFailureReason, ClientProblem } from "./result.ts";

/** A result without its types. */
export interface AnyResult {
  readonly ok: boolean;
  readonly status: number;
  readonly body?: unknown;
  readonly reason?: ClientFailureReason | "declared";
  readonly problem?: ClientProblem;
  readonly response?: Response | undefined;
  readonly error?: unknown;
}

/** A body, or the reason that the response is invalid. */
interface Content {
  readonly body?: unknown;
  readonly invalid?: string;
  readonly error?: unknown;
}

/** Reads a response. Rejects if the network fails. */
export async function readResponse(
  response: Response,
  { method, operation }: AnyRoute,
  maxBytes: number,
  validate: boolean | undefined,
): Promise<AnyResult> {
  const { ok, status } = response;
  const responses = operation?.responses ?? {};
  // Browsers hide the status of a redirect.
  const isRedirect = response.type === "opaqueredirect" ||
    status > 299 && status < 400;
  const isUnread = isRedirect || method === "HEAD";
  const read = isUnread ? {} : await readBody(response, maxBytes);
  const content = isUnread
    ? read
    : await checkBody(response, responses, read, validate);
  const { body, error, invalid } = content;
  if (body !== response.body) {
    // This has no effect if the body was read.
    await response.body?.cancel().catch(() => {});
  }
  if (ok && !invalid) return { ok, status, body, response };
  const reason = isRedirect
    ? "redirect"
    : ok
    ? "invalid"
    : status in responses && !invalid
    ? "declared"
    : "status";
  const problem = ok
    ? { title: `Unexpected ${invalid}`, status }
    : problemOf(response, read.body);
  return { ok: false, reason, status, problem, body, response, error };
}

/** Returns the problem details of an error response, or creates them. */
function problemOf(response: Response, sent: unknown): ClientProblem {
  const { status } = response;
  const { title, detail, ...members } =
    mediaTypeOf(response) === "application/problem+json" ? Object(sent) : {};
  return {
    ...members,
    title: typeof title === "string" ? title : `Status ${status}`,
    ...typeof detail === "string" && { detail },
    status,
  };
}

/**
 * The media types whose bodies the client reads. It never reads events, whose
 * stream may never end.
 */
const READABLE = /^text\/(?!event-stream)|^application\/(.+\+)?json$/;

/** Reads a body by its type. */
async function readBody(
  response: Response,
  maxBytes: number,
): Promise<Content> {
  const { body } = response;
  const type = mediaTypeOf(response);
  if (!body || !READABLE.test(type)) return { body: body ?? undefined };
  let size = 0;
  const counter = new TransformStream<Uint8Array, Uint8Array>({
    transform(chunk, controller) {
      size += chunk.length;
      // A limit that is not a number allows nothing.
      if (size <= maxBytes) controller.enqueue(chunk);
      else controller.terminate();
    },
  });
  const stream = body.pipeThrough(counter);
  const text = await new Response(stream).text();
  if (!(size <= maxBytes)) return { invalid: "size" };
  if (type.startsWith("text/")) return { body: text };
  try {
    return { body: JSON.parse(text) };
  } catch (error) {
    return { invalid: "JSON", error };
  }
}

/** Compares a body with the declared one. */
async function checkBody(
  response: Response,
  responses: OperationResponses,
  read: Content,
  validate: boolean | undefined,
): Promise<Content> {
  const declared = responses[response.status];
  if (!declared) {
    const isKnown = Object.keys(responses).some((key) => key[0] === "2");
    return response.ok && isKnown ? { invalid: "status" } : read;
  }
  const description: ResponseDescription = "~standard" in declared
    ? { schema: declared }
    : declared;
  const { schema, contentType = schema && "application/json" } = description;
  if (!contentType) return {};
  if (read.invalid) return read;
  if (
    read.body === undefined || mediaType(contentType) !== mediaTypeOf(response)
  ) {
    return { invalid: "type" };
  }
  if (!schema || !validate) return read;
  try {
    const result = await schema["~standard"].validate(read.body);
    return result.issues
      ? { invalid: "body", error: result.issues }
      : { body: result.value };
  } catch (error) {
    return { invalid: "body", error };
  }
}
