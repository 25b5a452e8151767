import { MountPrefix } from "../../../router/internal.ts";
import type { RequestContext } from "../../../router/mod.ts";
import {
  ExternalAuthError,
  type ExternalAuthErrorCode,
  type JSONObject,
} from "../../issuer/mod.ts";
import { isExpired } from "../../login/pending_steps.ts";
import { isIssuerOf, type ProviderEngine } from "../engine.ts";
import { cleanErrorDetails, type ErrorDetails } from "../provider_error.ts";
import { openResponse } from "./_form_post.ts";
import { consumeTransaction, type Transaction } from "./_transaction.ts";

/** The parameters of a callback, and the login that it belongs to. */
export interface Callback {
  readonly params: URLSearchParams;
  readonly transaction: Transaction;
}

/** The maximum length of a code, in characters. One provider has 2,000. */
const MAX_CODE = 8192;

/** The parameters that may occur only once (RFC 6749, section 3.1). */
const PARAMS = ["code", "state", "iss", "error", "response"] as const;

/**
 * Finds the pending login that a callback belongs to, and removes it.
 *
 * The order matters. An error without a valid state must not end a pending
 * login. No request is sent before the state is removed.
 *
 * @throws {ExternalAuthError} If there is no such login, or it was started at
 * another provider.
 */
export async function acceptCallback(
  engine: ProviderEngine<unknown>,
  context: RequestContext,
): Promise<Callback> {
  const { client, definition, options } = engine;
  // Each provider has a separate callback (RFC 9700, section 4.4.2).
  if (!isCallbackOf(engine, context) || context.method !== "GET") {
    throw callbackError(
      "wrong_callback",
      "the request is not one to its redirectUri",
    );
  }
  const params = await readParams(engine, context);
  const [state, ...more] = params.getAll("state");
  if (state === undefined || more.length > 0) {
    throw callbackError("state_missing", "the callback has no single state");
  }
  const transaction = await consumeTransaction(context, state);
  if (
    transaction.issuer !== definition.issuer ||
    transaction.clientId !== client.clientId ||
    transaction.redirectUri !== options.redirectUri
  ) {
    throw callbackError(
      "provider_mismatch",
      "it was started at another provider",
    );
  }
  return { params, transaction };
}

/**
 * Reads the code of a callback.
 *
 * @throws {ExternalAuthError} If the callback is invalid or has an error.
 */
export async function readCode(
  engine: ProviderEngine<unknown>,
  { params, transaction }: Callback,
): Promise<string> {
  if (isExpired(transaction, engine.now())) {
    throw callbackError("state_expired", "it was started too long ago");
  }
  for (const name of PARAMS) {
    if (params.getAll(name).length > 1) {
      throw callbackError(
        "callback_invalid",
        `the callback has several "${name}"`,
      );
    }
  }
  await checkCallbackIssuer(engine, params.get("iss"));
  checkError(params);
  const code = params.get("code") ?? "";
  if (code.length > MAX_CODE || !/^[\x20-\x7e]+$/.test(code)) {
    throw callbackError("callback_invalid", "the callback has no usable code");
  }
  return code;
}

/** The maximum length of the parameter `user`, in characters. */
const MAX_USER = 1024;

/**
 * Reads the parameter `user` of a callback, a JSON object.
 *
 * @returns The object, or `undefined` if it is missing or malformed.
 */
export function readUser({ params }: Callback): JSONObject | undefined {
  const [json = "", ...more] = params.getAll("user");
  if (json === "" || json.length > MAX_USER || more.length > 0) {
    return undefined;
  }
  try {
    const user: unknown = JSON.parse(json);
    if (typeof user !== "object" || user === null || Array.isArray(user)) {
      return undefined;
    }
    // An assignment to an own member of this name would set a prototype.
    delete (user as Record<string, unknown>)["__proto__"];
    return user as JSONObject;
  } catch {
    return undefined;
  }
}

/** Returns `true` if a request is for the callback, on any origin. */
export function isCallbackOf(
  { redirectUri }: ProviderEngine<unknown>,
  context: RequestContext,
): boolean {
  const { pathname, searchParams } = context.url;
  // The URL in a mounted router has no prefix, but the redirectUri has it.
  const prefix = context.get(MountPrefix);
  const isPath = redirectUri.pathname === prefix + pathname ||
    (pathname === "/" && redirectUri.pathname === prefix);
  return isPath &&
    [...redirectUri.searchParams].every(([name, value]) =>
      searchParams.getAll(name).includes(value)
    );
}

/** Reads the provider's response from the query, or from the sealed cookie. */
async function readParams(
  engine: ProviderEngine<unknown>,
  { request, url }: RequestContext,
): Promise<URLSearchParams> {
  if (engine.options.responseMode !== "form_post") return url.searchParams;
  const state = url.searchParams.get("state") ?? "";
  const params = await openResponse(engine, request.headers, state);
  const states = params?.getAll("state") ?? [];
  const isThisLogin = states.length === 1 && states[0] === state;
  return params !== null && isThisLogin ? params : new URLSearchParams();
}

/** Checks `iss`, which is required if the metadata promises it (RFC 9207). */
async function checkCallbackIssuer(
  engine: ProviderEngine<unknown>,
  iss: string | null,
): Promise<void> {
  const { authorization_response_iss_parameter_supported: isPromised } =
    await engine.metadata();
  const isValid = iss === null
    ? isPromised !== true
    : await isIssuerOf(engine, iss);
  if (isValid) return;
  throw callbackError(
    "issuer_mismatch",
    "the response comes from another issuer",
  );
}

function checkError(params: URLSearchParams): void {
  const error = params.get("error");
  if (error === null) return;
  // Anyone can write the parameters, and could copy secrets of this login into
  // them.
  const secrets = [...params.getAll("code"), ...params.getAll("state")];
  const description = params.get("error_description");
  const details = cleanErrorDetails(error, description, secrets);
  const { providerError } = details;
  const code = providerError === "access_denied"
    ? "access_denied"
    : "authorization_refused";
  throw callbackError(code, `the provider answered ${providerError}`, details);
}

function callbackError(
  code: ExternalAuthErrorCode,
  reason: string,
  details?: ErrorDetails,
): ExternalAuthError {
  return new ExternalAuthError(
    code,
    `Cannot finish the external login: ${reason}`,
    details,
  );
}
