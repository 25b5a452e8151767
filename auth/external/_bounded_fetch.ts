import { isLoopback, readBytes } from "../../router/internal.ts";

/** A JSON object as it came from the network. */
export type JSONObject = Readonly<Record<string, unknown>>;

/** How requests to a provider are made, and what bounds their answers. */
export interface Transport {
  /** Makes the requests. */
  readonly fetch: (url: string, init: RequestInit) => Promise<Response>;
  /** How long a request may take, its body included, in milliseconds. */
  readonly timeout: number;
  /** How large an answer may be, decompressed. */
  readonly maxResponseBytes: number;
  /** Whether http is allowed to loopback hosts. */
  readonly allowInsecureLoopback: boolean;
}

/** A request to a provider. */
export interface ProviderRequest {
  /** Where to. */
  readonly url: string;
  /** What to send as a form by POST; GET without it. */
  readonly form?: URLSearchParams;
  /** Headers besides `Accept` and `User-Agent`. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Values that must not show up in an error. */
  readonly secrets?: readonly string[];
}

/** An answer of a provider. */
export interface ProviderAnswer {
  /** The status. Never one of a redirect. */
  readonly status: number;
  /** The body: a JSON object, or an array. */
  readonly body: unknown;
}

/** The longest message of a failing fetch that is repeated, in characters. */
const MAX_MESSAGE = 10_000;

/** The most errors of a chain of causes that are repeated. */
const MAX_CAUSES = 4;

/** Tells why there is no answer. It leaves the folder only as a cause. */
export class RequestError extends Error {
  override readonly name = "RequestError";
  /** The status of an answer that is not usable. */
  readonly status: number | undefined;

  constructor(message: string, status?: number) {
    super(message);
    this.status = status;
  }
}

/**
 * Makes one request and reads its answer as JSON, all within the bounds of the
 * transport.
 *
 * No redirect is followed: a 307 would carry the secret in the body to wherever
 * the answer says (RFC 9700, section 4.12).
 *
 * @throws {RequestError} If there is no usable answer, whatever the reason.
 */
export function fetchJSON(
  transport: Transport,
  request: ProviderRequest,
): Promise<ProviderAnswer> {
  return fetchBounded(transport, request, async (response, signal) => {
    checkType(response);
    const text = await readText(response, transport.maxResponseBytes, signal);
    const { status } = response;
    return { status, body: parseJSON(text, status) };
  });
}

/** An answer that the provider has signed. Nothing of it is verified. */
export interface SignedAnswer {
  readonly status: number;
  readonly jwt: string;
}

/**
 * Makes one request whose answer may be a JWT (`application/jwt`) as well as
 * JSON, within the same bounds.
 *
 * @throws {RequestError} If there is no usable answer, whatever the reason.
 */
export function fetchJSONOrJWT(
  transport: Transport,
  request: ProviderRequest,
): Promise<ProviderAnswer | SignedAnswer> {
  return fetchBounded(transport, request, async (response, signal) => {
    const isSigned = mediaTypeOf(response) === "application/jwt";
    if (!isSigned) checkType(response);
    const text = await readText(response, transport.maxResponseBytes, signal);
    const { status } = response;
    return isSigned
      ? { status, jwt: text.trim() }
      : { status, body: parseJSON(text, status) };
  });
}

/**
 * Makes one request of whose answer only the status counts, within the same
 * bounds.
 *
 * @throws {RequestError} If there is no usable answer, whatever the reason.
 */
export function fetchStatus(
  transport: Transport,
  request: ProviderRequest,
): Promise<number> {
  return fetchBounded(transport, request, (response) => {
    response.body?.cancel().catch(() => {});
    return response.status;
  });
}

async function fetchBounded<Answer>(
  transport: Transport,
  request: ProviderRequest,
  read: (response: Response, signal: AbortSignal) => Answer | Promise<Answer>,
): Promise<Answer> {
  const url = checkURL(request.url, transport.allowInsecureLoopback);
  const place = url.origin + url.pathname;
  const controller = new AbortController();
  let timer: ReturnType<typeof setTimeout> | undefined;
  const expiry = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      reject(new RequestError(`no answer within ${transport.timeout} ms`));
      controller.abort();
    }, transport.timeout);
  });
  const exchange = async () => {
    const init = createInit(request, controller.signal);
    const response = await transport.fetch(request.url, init);
    checkStatus(response);
    return await read(response, controller.signal);
  };
  try {
    // The race holds too where a fetch of one's own ignores the signal.
    return await Promise.race([exchange(), expiry]);
  } catch (error) {
    throw new RequestError(
      `Cannot fetch "${place}": ${describe(error, request)}`,
      error instanceof RequestError ? error.status : undefined,
    );
  } finally {
    clearTimeout(timer);
  }
}

/** Whether a URL may be fetched: https, or http on loopback where allowed. */
export function isSecureURL(url: URL, allowInsecureLoopback: boolean): boolean {
  if (url.username !== "" || url.password !== "") return false;
  return url.protocol === "https:" ||
    allowInsecureLoopback && url.protocol === "http:" &&
      isLoopback(url.hostname);
}

function checkURL(text: string, allowInsecureLoopback: boolean): URL {
  const url = URL.parse(text);
  if (url === null || !isSecureURL(url, allowInsecureLoopback)) {
    throw new RequestError(
      "Cannot fetch from a provider: the URL is not https",
    );
  }
  return url;
}

function createInit(
  { form, headers }: ProviderRequest,
  signal: AbortSignal,
): RequestInit {
  return {
    method: form === undefined ? "GET" : "POST",
    headers: {
      "Accept": "application/json",
      // Some providers refuse requests without one, and workerd sends none.
      "User-Agent": "Gatehouse",
      ...(form && { "Content-Type": "application/x-www-form-urlencoded" }),
      ...headers,
    },
    body: form?.toString(),
    // Not "error": workerd refuses it.
    redirect: "manual",
    signal,
  };
}

function checkStatus(response: Response): void {
  const { body, status, type } = response;
  if (type !== "opaqueredirect" && (status < 300 || status > 399)) return;
  body?.cancel().catch(() => {});
  throw new RequestError("it redirects", status);
}

function mediaTypeOf({ headers }: Response): string {
  const [essence] = (headers.get("Content-Type") ?? "").split(";", 1);
  return essence.trim().toLowerCase();
}

function checkType(response: Response): void {
  const { body, status } = response;
  if (/^application\/(?:[\w.-]+\+)?json$/.test(mediaTypeOf(response))) return;
  body?.cancel().catch(() => {});
  throw new RequestError(`status ${status}, and not JSON`, status);
}

async function readText(
  response: Response,
  limit: number,
  signal: AbortSignal,
): Promise<string> {
  if (response.body === null) throw new RequestError("the answer is empty");
  const bytes = await readBytes(response.body, { maxBytes: limit, signal });
  if (typeof bytes === "number") {
    throw new RequestError(`the answer has more than ${limit} bytes`);
  }
  return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
}

function parseJSON(text: string, status: number): unknown {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new RequestError(
      `status ${status}, and the JSON is malformed`,
      status,
    );
  }
  if (typeof value !== "object" || value === null) {
    throw new RequestError(
      `status ${status}, and the JSON is no object`,
      status,
    );
  }
  // An own member of this name would become a prototype where it is assigned.
  delete (value as Record<string, unknown>)["__proto__"];
  return value;
}

/** What happened, without the query and the secrets that a fetch may repeat. */
function describe(error: unknown, { secrets = [] }: ProviderRequest): string {
  const text = messagesOf(error).join(": ");
  if (text === "") return "fetch failed";
  if (text.length > MAX_MESSAGE) return "fetch failed, with a long message";
  return redact(text, secrets).slice(0, 500);
}

/** Deno and Node say only "fetch failed", and have the reason as its cause. */
function messagesOf(error: unknown): string[] {
  const messages: string[] = [];
  let current: unknown = error;
  for (let depth = 0; depth < MAX_CAUSES; depth++) {
    // Several addresses were tried: one reason is enough.
    if (current instanceof AggregateError) current = current.errors[0];
    if (!(current instanceof Error)) break;
    const { cause, code, message } = current as Error & { code?: unknown };
    const isNew = message !== "" &&
      !messages.some((known) => known.includes(message));
    if (isNew) messages.push(message);
    else if (message === "" && typeof code === "string") messages.push(code);
    current = cause;
  }
  return messages;
}

/**
 * Removes secrets from a text, the query of any URL, and what could begin a line
 * of a log.
 */
export function redact(text: string, secrets: readonly string[]): string {
  for (const secret of secrets.filter((secret) => secret !== "")) {
    const encoded = new URLSearchParams([["", secret]]).toString().slice(1);
    for (const form of [secret, encoded, encodeURIComponent(secret)]) {
      text = text.replaceAll(form, "…");
    }
  }
  return text.replaceAll(/\?[^\s"')]*/g, "?…")
    .replaceAll(/[^\x20-\x7e…]+/g, " ");
}
