import {
  cancelWithClient,
  HTTPError,
  readBytes,
} from "../../router/internal.ts";
import type { RequestContext } from "../../router/mod.ts";
import { createDPoPProof, readDPoPNonce } from "../dpop/mod.ts";
import { messageOf } from "../issuer/mod.ts";
import { limitBody } from "./_forward_body.ts";
import { HeaderRules } from "./_forward_headers.ts";
import { ForwardTarget } from "./_forward_target.ts";
import { UpstreamCall } from "./_upstream_call.ts";
import {
  type ForwardOptions,
  type ResolvedForwardOptions,
  resolveForwardOptions,
} from "./forward_options.ts";
import type { AccessToken, TokenFailure } from "./token_result.ts";

/** The largest body that is kept for a second request, in bytes. */
const MAX_KEPT = 65_536;

const NO_STORE = { "Cache-Control": "no-store" };

/** A request for the API, without its token. */
interface UpstreamRequest {
  readonly url: string;
  readonly method: string;
  readonly headers: Headers;
  /** A stream can be sent once. */
  readonly body: Uint8Array<ArrayBuffer> | ReadableStream<Uint8Array> | null;
}

/** A response of the API, and the token of its request. */
interface UpstreamResponse {
  readonly ok: true;
  readonly response: Response;
  readonly token: string;
}

/** Forwards requests to one API. */
export class Forwarder {
  readonly #target: ForwardTarget;
  readonly #options: ResolvedForwardOptions;
  readonly #headers: HeaderRules;
  /** The last nonce of the API for DPoP proofs. */
  #nonce: string | null = null;

  constructor(target: string, options: ForwardOptions) {
    this.#target = new ForwardTarget(target);
    this.#options = resolveForwardOptions(options);
    const { requestHeaders, responseHeaders } = this.#options;
    this.#headers = new HeaderRules(requestHeaders, responseHeaders);
  }

  /** Forwards a request whose path and method are allowed. */
  async forward(context: RequestContext): Promise<Response> {
    const url = this.#target.resolve(context.url);
    if (url === null) return refuse(context, 400);
    const body = await this.#readBody(context);
    if (typeof body === "number") return refuse(context, body);
    const headers = this.#headers.forRequest(context.request.headers);
    const request = { url, method: context.method, headers, body };
    const call = new UpstreamCall(context.request.signal, this.#options);
    const secrets: string[] = [];
    try {
      const result = await this.#exchange(context, call, request, secrets);
      if (result.ok) return this.#respond(context, call, result);
      call.end();
      return respondToFailure(context, result);
    } catch (error) {
      const isLeft = call.isLeft;
      call.end();
      if (isLeft) return new Response(null, { status: 499 });
      throw this.#toHTTPError(error, secrets);
    }
  }

  /** Reads a small body, so that it can be sent twice. */
  async #readBody(
    context: RequestContext,
  ): Promise<UpstreamRequest["body"] | 400 | 408 | 413> {
    const { method, request } = context;
    const { body, headers } = request;
    if (body === null || /^(?:GET|HEAD)$/.test(method)) return null;
    const length = headers.get("Content-Length");
    if (length === null || !(Number(length) <= MAX_KEPT)) return body;
    const timeout = this.#options.responseTimeout;
    const limits = { maxBytes: MAX_KEPT, timeout };
    // An upload that breaks off gets a 400.
    return await readBytes(body, limits, context).catch(() => 400 as const);
  }

  /** Sends a request, and once more with a new token if the API answers 401. */
  async #exchange(
    context: RequestContext,
    call: UpstreamCall,
    request: UpstreamRequest,
    secrets: string[],
  ): Promise<UpstreamResponse | TokenFailure> {
    const { tokens } = this.#options;
    const { signal } = call;
    const first = await tokens.get(context, { signal });
    if (!first.ok) return first;
    secrets.push(first.accessToken);
    const response = await this.#send(call, request, first);
    const rejected = first.accessToken;
    if (response.status !== 401) {
      return { ok: true, response, token: rejected };
    }
    const second = await tokens.get(context, { rejected, signal });
    const isNew = second.ok && second.accessToken !== rejected;
    if (second.ok && (!isNew || !isReplayable(request))) {
      return { ok: true, response, token: rejected };
    }
    response.body?.cancel().catch(() => {});
    if (!second.ok) return second;
    secrets.push(second.accessToken);
    return {
      ok: true,
      response: await this.#send(call, request, second),
      token: second.accessToken,
    };
  }

  async #send(
    call: UpstreamCall,
    request: UpstreamRequest,
    token: AccessToken,
  ): Promise<Response> {
    const nonce = this.#nonce;
    const response = await this.#sendOnce(call, request, token);
    if (token.dpopKey === undefined) return response;
    this.#nonce = readDPoPNonce(response) ?? nonce;
    const challenge = response.headers.get("WWW-Authenticate") ?? "";
    const isAskedForNonce = response.status === 401 && this.#nonce !== nonce &&
      challenge.includes("use_dpop_nonce");
    if (!isAskedForNonce || !isReplayable(request)) return response;
    response.body?.cancel().catch(() => {});
    return await this.#sendOnce(call, request, token);
  }

  async #sendOnce(
    call: UpstreamCall,
    { body, headers, method, url }: UpstreamRequest,
    { accessToken: token, dpopKey }: AccessToken,
  ): Promise<Response> {
    const all = new Headers(headers);
    all.set("Authorization", `${dpopKey ? "DPoP" : "Bearer"} ${token}`);
    if (dpopKey !== undefined) {
      const bound = { method, url, token, nonce: this.#nonce };
      all.set("DPoP", await createDPoPProof(dpopKey, bound));
    }
    const { signal } = call;
    const redirect: RequestRedirect = "manual";
    const init = { method, headers: all, body, redirect, signal };
    // Only streams need the option.
    const sent = { ...init, ...!isReplayable({ body }) && { duplex: "half" } };
    return await call.waitFor(this.#options.fetch(url, sent));
  }

  #respond(
    context: RequestContext,
    call: UpstreamCall,
    { response, token }: UpstreamResponse,
  ): Response {
    const { idleTimeout, maxResponseBytes: maxBytes } = this.#options;
    const { body, status } = response;
    checkResponse(response, maxBytes);
    call.begin();
    const headers = this.#headers.forResponse(response.headers, token);
    if (body === null || NULL_BODY.includes(status)) {
      body?.cancel().catch(() => {});
      call.end();
      return new Response(null, { status, headers });
    }
    const limits = { maxBytes, idleTimeout, secret: token };
    const limited = limitBody(body, limits, call.signal, (error) => {
      call.end();
      if (error !== undefined) this.#report(error, [token]);
    });
    return new Response(cancelWithClient(limited, context), {
      status,
      headers,
    });
  }

  #toHTTPError(thrown: unknown, secrets: readonly string[]): unknown {
    // Errors of the session store and of the body limit create their own
    // response.
    if (typeof Object(thrown).toResponse === "function") return thrown;
    const isLate = Object(thrown).name === "TimeoutError";
    const cause = this.#report(thrown, secrets);
    return new HTTPError(isLate ? 504 : 502, "", { cause, headers: NO_STORE });
  }

  #report(thrown: unknown, secrets: readonly string[]): Error {
    const reason = messageOf(thrown, secrets);
    const error = new Error(
      `Cannot forward to "${this.#target.origin}": ${reason}`,
    );
    try {
      this.#options.onError(error);
    } catch (another) {
      console.error(another);
    }
    return error;
  }
}

/** The statuses whose responses have no body (Fetch, "null body status"). */
const NULL_BODY = [204, 205, 304];

/** @throws {Error} If a response can't be passed on. */
function checkResponse(response: Response, maxBytes: number): void {
  const { headers, status, type } = response;
  const isRedirect = status >= 300 && status <= 399 && status !== 304;
  if (isRedirect || type === "opaqueredirect") {
    throw new Error(`status ${status}, and redirects are not followed`);
  }
  if (!(status >= 200 && status <= 599)) throw new Error(`status ${status}`);
  if (Number(headers.get("Content-Length")) > maxBytes) {
    throw new Error(`the response has more than ${maxBytes} bytes`);
  }
}

function isReplayable({ body }: Pick<UpstreamRequest, "body">): boolean {
  return !(body instanceof ReadableStream);
}

function refuse(
  context: RequestContext,
  status: number,
  headers?: Record<string, string>,
): Response | Promise<Response> {
  return context.createErrorResponse({ status }, { ...NO_STORE, ...headers });
}

function respondToFailure(
  context: RequestContext,
  { reason, retryAfter = 1 }: TokenFailure,
): Response | Promise<Response> {
  return reason === "unavailable"
    ? refuse(context, 503, { "Retry-After": String(retryAfter) })
    : refuse(context, 401);
}
