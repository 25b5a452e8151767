import { MountPrefix, type RequestContext } from "../../router/mod.ts";
import type { JSONObject } from "./_bounded_fetch.ts";
import { isIssuerOf, type ProviderEngine } from "./_engine.ts";
import { openAnswer } from "./_form_post.ts";
import { type ProviderRefusal, toRefusal } from "./_provider_error.ts";
import { isAlive, takeTransaction, type Transaction } from "./_transaction.ts";
import { ExternalAuthError, type ExternalAuthErrorCode } from "./errors.ts";

/** A callback and the login of this session that it belongs to. */
export interface Callback {
  readonly params: URLSearchParams;
  readonly transaction: Transaction;
}

/** The longest code that is accepted, in characters. One provider has 2,000. */
const MAX_CODE = 8192;

/** What may come once at most (RFC 6749, section 3.1). */
const PARAMS = ["code", "state", "iss", "error", "response"] as const;

/**
 * Finds the login that a callback belongs to, and uses it up.
 *
 * The order matters: an error without a valid state must not end a pending
 * login, and nothing is asked of the network before the state is used up.
 *
 * @throws {ExternalAuthError} If there is none, or it is another provider's.
 */
export async function takeCallback(
  engine: ProviderEngine<unknown>,
  context: RequestContext,
): Promise<Callback> {
  const { client, definition, options } = engine;
  // Each provider has a callback of its own (RFC 9700, section 4.4.2).
  if (!isCallbackOf(engine, context) || context.method !== "GET") {
    throw failure(
      "wrong_callback",
      "the request is not one to its redirectUri",
    );
  }
  const params = await readParams(engine, context);
  const [state, ...more] = params.getAll("state");
  if (state === undefined || more.length > 0) {
    throw failure("state_missing", "the callback has no state, or several");
  }
  const transaction = await takeTransaction(context, state);
  if (
    transaction.issuer !== definition.issuer ||
    transaction.clientId !== client.clientId ||
    transaction.redirectUri !== options.redirectUri
  ) {
    throw failure("provider_mismatch", "it was begun at another provider");
  }
  return { params, transaction };
}

/**
 * Reads the code of a provider's answer.
 *
 * @throws {ExternalAuthError} If the answer must not be believed, or is a no.
 */
export async function readCode(
  engine: ProviderEngine<unknown>,
  { params, transaction }: Callback,
): Promise<string> {
  if (!isAlive(transaction, engine.now())) {
    throw failure("state_expired", "it was begun too long ago");
  }
  for (const name of PARAMS) {
    if (params.getAll(name).length > 1) {
      throw failure("callback_invalid", `the callback has several "${name}"`);
    }
  }
  await checkIssuer(engine, params.get("iss"));
  checkRefusal(params);
  const code = params.get("code") ?? "";
  if (code.length > MAX_CODE || !/^[\x20-\x7e]+$/.test(code)) {
    throw failure("callback_invalid", "the callback has no usable code");
  }
  return code;
}

/** The longest `user` that is read, in characters. */
const MAX_USER = 1024;

/**
 * Reads the parameter `user` of a callback, a JSON object.
 *
 * @returns The object, or `undefined` if it is missing.
 */
export function readUser({ params }: Callback): JSONObject | undefined {
  const [text = "", ...more] = params.getAll("user");
  if (text === "" || text.length > MAX_USER || more.length > 0) {
    return undefined;
  }
  try {
    const user: unknown = JSON.parse(text);
    if (typeof user !== "object" || user === null || Array.isArray(user)) {
      return undefined;
    }
    // An own member of this name would become a prototype where it is assigned.
    delete (user as Record<string, unknown>)["__proto__"];
    return user as JSONObject;
  } catch {
    return undefined;
  }
}

/** Whether a request is to the callback, whatever origin it has here. */
export function isCallbackOf(
  { redirectUri }: ProviderEngine<unknown>,
  context: RequestContext,
): boolean {
  const { pathname, searchParams } = context.url;
  // In a mounted router the path is without what the provider knows.
  const prefix = context.get(MountPrefix);
  const isPath = redirectUri.pathname === prefix + pathname ||
    (pathname === "/" && redirectUri.pathname === prefix);
  return isPath &&
    [...redirectUri.searchParams].every(([name, value]) =>
      searchParams.getAll(name).includes(value)
    );
}

/** The provider's answer, wherever it is. */
async function readParams(
  engine: ProviderEngine<unknown>,
  { request, url }: RequestContext,
): Promise<URLSearchParams> {
  if (engine.options.responseMode !== "form_post") return url.searchParams;
  const asked = url.searchParams.get("state") ?? "";
  const answer = await openAnswer(engine, request.headers, asked);
  const state = answer?.getAll("state") ?? [];
  const isThisLogin = state.length === 1 && state[0] === asked;
  return answer !== null && isThisLogin ? answer : new URLSearchParams();
}

/** RFC 9207, section 2.4: present means equal, advertised means required. */
async function checkIssuer(
  engine: ProviderEngine<unknown>,
  iss: string | null,
): Promise<void> {
  const { authorization_response_iss_parameter_supported: isPromised } =
    await engine.metadata();
  const isRight = iss === null
    ? isPromised !== true
    : await isIssuerOf(engine, iss);
  if (!isRight) {
    throw failure("issuer_mismatch", "the answer comes from another issuer");
  }
}

function checkRefusal(params: URLSearchParams): void {
  const error = params.get("error");
  if (error === null) return;
  // The browser may bring anything: not a secret of this login either.
  const secrets = [...params.getAll("code"), ...params.getAll("state")];
  const description = params.get("error_description");
  const refusal = toRefusal(error, description, secrets);
  const { providerError } = refusal;
  const code = providerError === "access_denied"
    ? "access_denied"
    : "authorization_refused";
  throw failure(code, `the provider answered ${providerError}`, refusal);
}

function failure(
  code: ExternalAuthErrorCode,
  state: string,
  refusal?: ProviderRefusal,
): ExternalAuthError {
  return new ExternalAuthError(
    code,
    `Cannot finish the external login: ${state}`,
    refusal,
  );
}
