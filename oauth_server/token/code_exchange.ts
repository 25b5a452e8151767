import { sha256Base64Url, timingSafeEqual } from "../../session/secrets.ts";
import type { FoundGrant, GrantRow } from "../grants/grant_store.ts";
import { report } from "../events.ts";
import {
  INVALID_GRANT,
  type TokenFailure,
  type TokenResult,
  tokensOf,
} from "./token_response.ts";
import { userOfGrant } from "../grants/users.ts";
import type { Settings } from "../settings.ts";
import { checkKey, checkRequest, type GrantRequest } from "./grant_checks.ts";

/**
 * Milliseconds after the exchange from which a second use of the code is a replay,
 * not a request that was sent twice.
 */
const REPLAY_AFTER = 5_000;

/** Matches a code verifier (RFC 7636, section 4.1). */
const VERIFIER = /^[\w.~-]{43,128}$/;

/**
 * Exchanges a code for tokens. Of several requests, one changes the row from a code
 * to a grant, and gets the only tokens. Everything is checked before that, so a
 * wrong request does not use up the code.
 *
 * @see {@link https://www.rfc-editor.org/rfc/rfc6749#section-4.1.3 | RFC 6749, section 4.1.3}
 */
export async function exchangeCode(
  request: GrantRequest,
): Promise<TokenResult> {
  const { form, settings } = request;
  const { grants, tokens } = settings;
  const code = await tokens.read("code", form.get("code"));
  if (code === null) return INVALID_GRANT;
  const { key } = code;
  const found = await grants.read(key);
  if (found === null) return INVALID_GRANT;
  const { row } = found;
  const failure = await checkExchange(request, row);
  if (failure !== null) return failure;
  const thumbprint = await checkKey(request, row);
  if (typeof thumbprint === "object") return thumbprint;
  if (row.exchangedAt !== null) return await refuseReplay(request, key, found);
  return await beginGrant(settings, key, found, thumbprint);
}

/**
 * Changes the row of a code into a grant, and returns its first tokens. Of several
 * requests, one succeeds.
 *
 * @param thumbprint The thumbprint of the key that the tokens are bound to.
 */
export async function beginGrant(
  settings: Settings,
  key: string,
  { row, version }: FoundGrant,
  thumbprint: string | undefined,
): Promise<TokenResult> {
  const { grants, now } = settings;
  if (await userOfGrant(settings, row) === null) return INVALID_GRANT;
  const time = now();
  const next: GrantRow = {
    ...row,
    device: undefined,
    exchangedAt: time,
    generation: 1,
    rotatedAt: time,
    thumbprint,
  };
  return await grants.replace(key, next, version)
    ? await tokensOf(settings, key, next, next.scopes)
    : INVALID_GRANT;
}

async function checkExchange(
  request: GrantRequest,
  row: GrantRow,
): Promise<TokenFailure | null> {
  const failure = await checkRequest(request, row);
  if (failure !== null) return failure;
  const { form } = request;
  const redirectUri = form.get("redirect_uri");
  if (redirectUri !== undefined && redirectUri !== row.redirectUri) {
    return INVALID_GRANT;
  }
  const verifier = form.get("code_verifier") ?? "";
  if (!VERIFIER.test(verifier)) return INVALID_GRANT;
  return timingSafeEqual(await sha256Base64Url(verifier), row.challenge)
    ? null
    : INVALID_GRANT;
}

/**
 * Ends the grant if a code is used again (RFC 6749, section 4.1.2). Only a request
 * with the right verifier gets here: otherwise anyone who saw the code could end the
 * grant.
 */
async function refuseReplay(
  { context, settings }: GrantRequest,
  key: string,
  { row }: FoundGrant,
): Promise<TokenFailure> {
  const { grants, now } = settings;
  if (row.exchangedAt !== null && now() - row.exchangedAt > REPLAY_AFTER) {
    await grants.end(key);
    await report(settings, "code-reuse", row, key, context);
  }
  return INVALID_GRANT;
}
