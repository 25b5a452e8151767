import type { RequestContext } from "../../router/mod.ts";
import { DEVICE_CODE } from "../device/device_parts.ts";
import { exchangeCode } from "./code_exchange.ts";
import { readForm, uniqueParameters } from "../form.ts";
import type { GrantRequest } from "./grant_checks.ts";
import { refresh } from "./refresh.ts";
import { revokeToken } from "./revoke_token.ts";
import type { Settings } from "../settings.ts";
import type { TokenFailure, TokenResult } from "./token_response.ts";

/** Answers the form of a client. */
export type FormHandler = (
  request: GrantRequest,
) => TokenResult | Promise<TokenResult>;

/** The grant types and their handlers. */
const GRANT_TYPES: ReadonlyMap<string, FormHandler> = new Map([
  ["authorization_code", exchangeCode],
  ["refresh_token", refresh],
]);

/** Returns the grant types of a server, for its metadata. */
export function grantTypesOf(
  { device }: Pick<Settings, "device">,
): readonly string[] {
  return [...GRANT_TYPES.keys(), ...device === null ? [] : [DEVICE_CODE]];
}

/** Answers the token endpoint (RFC 6749, section 3.2). */
export async function answerToken(
  settings: Settings,
  context: RequestContext,
): Promise<Response> {
  const response = await answerForm(settings, context, (request) => {
    const type = request.form.get("grant_type");
    if (type === undefined) return invalidRequest("There is no grant_type");
    const handle = type === DEVICE_CODE
      ? settings.device?.exchange
      : GRANT_TYPES.get(type);
    return handle?.(request) ?? {
      error: "unsupported_grant_type",
      description: "The server does not support this grant_type",
    };
  });
  await settings.dpop?.addNonce(response.headers);
  return response;
}

/** Answers the revocation endpoint (RFC 7009, section 2). */
export async function answerRevocation(
  settings: Settings,
  context: RequestContext,
): Promise<Response> {
  return await answerForm(settings, context, revokeToken);
}

/**
 * Reads the form of a client and answers it. The response is JSON, and no cache
 * stores it.
 */
export async function answerForm(
  settings: Settings,
  context: RequestContext,
  handle: FormHandler,
): Promise<Response> {
  const { headers, method } = context.request;
  if (method !== "POST") {
    const failure = invalidRequest("The method is not POST", 405);
    return respond(failure, headers, { Allow: "POST, OPTIONS" });
  }
  const params = await readForm(context);
  if (typeof params === "number") {
    const description = "The body is not a form of at most 16 kB";
    return respond(invalidRequest(description, params), headers);
  }
  const form = uniqueParameters(params);
  const result = form === null
    ? invalidRequest("A parameter occurs twice")
    : await handle({ context, form, headers, settings });
  return respond(result, headers);
}

function invalidRequest(description: string, status = 400): TokenFailure {
  return { error: "invalid_request", description, status };
}

function respond(
  result: TokenResult,
  request: Headers,
  extra: Readonly<Record<string, string>> = {},
): Response {
  const headers = new Headers({ "Cache-Control": "no-store", ...extra });
  if ("body" in result) return Response.json(result.body, { headers });
  const { description, error, status = 400 } = result;
  // RFC 6749, section 5.2: the challenge names the method that the client used.
  const scheme = request.get("Authorization")?.split(" ", 1)[0];
  if (status === 401 && scheme?.toLowerCase() === "basic") {
    headers.set("WWW-Authenticate", 'Basic realm="token"');
  }
  const body = { error, error_description: description };
  return Response.json(body, { status, headers });
}
