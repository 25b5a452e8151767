// Reads the response of a call, and compares it with what the route declares.

import type { OperationResponses } from "../routes/operation.ts";
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

/** The client's options for responses. */
export interface ReadOptions {
  readonly maxBytes: number;
  readonly validate: boolean | undefined;
  readonly signal: AbortSignal | undefined;
}

/** Creates a failure without an error response. */
export function fail(
  reason: ClientFailureReason,
  title: string,
  error?: unknown,
  response?: Response,
): AnyResult {
  const status = response?.status ?? 0;
  const problem = { title, status };
  return { ok: false, reason, status, problem, response, error };
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
  options: ReadOptions,
): Promise<AnyResult> {
  const { ok, status } = response;
  const responses = operation?.responses ?? {};
  // Browsers hide the status of a redirect.
  const isRedirect = response.type === "opaqueredirect" ||
    status > 299 && status < 400;
  const isUnread = isRedirect || method === "HEAD";
  const read = isUnread ? {} : await readBody(response, options);
  const content = isUnread
    ? read
    : await checkBody(response, responses, read, options.validate);
  const { body, error, invalid } = content;
  if (body !== response.body) {
    // Has no effect on a body that was read.
    await response.body?.cancel().catch(() => {});
  }
  if (isRedirect) {
    return fail("redirect", "Unexpected redirect", undefined, response);
  }
  if (!ok) {
    return refuse(response, status in responses && !invalid, read.body, body);
  }
  return invalid
    ? fail("invalid", invalid, error, response)
    : { ok, status, body, response };
}

/** Creates the failure of an error response. */
function refuse(
  response: Response,
  isDeclared: boolean,
  sent: unknown,
  body: unknown,
): AnyResult {
  const { status } = response;
  const problem: Record<string, unknown> =
    typeOf(response) === "application/problem+json" ? { ...Object(sent) } : {};
  if (typeof problem.title !== "string") problem.title = `Status ${status}`;
  if (typeof problem.detail !== "string") delete problem.detail;
  return {
    ok: false,
    reason: isDeclared ? "declared" : "status",
    status,
    problem: { ...problem, status } as ClientProblem,
    body: isDeclared ? body : sent,
    response,
  };
}

/** Reads a body by its type. */
async function readBody(
  response: Response,
  { maxBytes, signal }: ReadOptions,
): Promise<Content> {
  const { body } = response;
  const type = typeOf(response);
  const isText = /^text\/(?!event-stream)/.test(type);
  const isJSON = /^application\/(.+\+)?json$/.test(type);
  if (!body || !isText && !isJSON) return { body: body ?? undefined };
  let size = 0;
  const counter = new TransformStream<Uint8Array, Uint8Array>({
    transform(chunk, controller) {
      size += chunk.length;
      // A limit that is not a number allows nothing.
      if (size <= maxBytes) controller.enqueue(chunk);
      else controller.terminate();
    },
  });
  const stream = body.pipeThrough(counter, signal && { signal });
  const text = await new Response(stream).text();
  if (!(size <= maxBytes)) return { invalid: "Too large" };
  if (isText) return { body: text };
  try {
    return { body: JSON.parse(text) };
  } catch (error) {
    return { invalid: "Malformed JSON", error };
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
    return response.ok && isKnown ? { invalid: "Unexpected status" } : read;
  }
  const { schema, contentType = schema && "application/json" } =
    "~standard" in declared
      ? { schema: declared, contentType: undefined }
      : declared;
  if (!contentType) return {};
  if (read.invalid) return read;
  if (read.body === undefined || mediaType(contentType) !== typeOf(response)) {
    return { invalid: "Unexpected type" };
  }
  if (!schema || !validate) return read;
  try {
    const result = await schema["~standard"].validate(read.body);
    return result.issues
      ? { invalid: "Unexpected body", error: result.issues }
      : { body: result.value };
  } catch (error) {
    return { invalid: "Unexpected body", error };
  }
}

function typeOf({ headers }: Response): string {
  return mediaType(headers.get("Content-Type") ?? "");
}

function mediaType(contentType: string): string {
  return contentType.split(";")[0]!.trim().toLowerCase();
}
