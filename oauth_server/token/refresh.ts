import { report } from "../events.ts";
import { checkKey, checkRequest, type GrantRequest } from "./grant_checks.ts";
import type { GrantRow } from "../grants/grant_store.ts";
import {
  INVALID_GRANT,
  type TokenFailure,
  type TokenResult,
  tokensOf,
} from "./token_response.ts";
import { userOfGrant } from "../grants/users.ts";

/** The number of times that a grant is read, if other requests change it. */
const MAX_READS = 3;

/**
 * Exchanges a refresh token for the tokens of the next generation.
 *
 * Tokens are derived, so the requests that lose a race, and those that repeat a
 * request whose response was lost, get the same tokens as the first one. An older
 * token was stolen, or its successor was: it ends the grant.
 *
 * @see {@link https://www.rfc-editor.org/rfc/rfc9700#section-4.14.2 | RFC 9700, section 4.14.2}
 */
export async function refresh(request: GrantRequest): Promise<TokenResult> {
  const { form, settings } = request;
  const token = await settings.tokens
    .read("refresh", form.get("refresh_token"));
  if (token === null) return INVALID_GRANT;
  const { key, numbers: [generation] } = token;
  let thumbprint: string | undefined;
  for (let reads = 0; reads < MAX_READS; reads++) {
    const found = await settings.grants.read(key);
    if (found === null) return INVALID_GRANT;
    const { row, version } = found;
    // The loser of a race has passed the checks of the same grant before.
    if (reads === 0) {
      const checked = await checkRefresh(request, row);
      if (typeof checked === "object") return checked;
      thumbprint = checked;
    }
    const scopes = requestedScopes(request, row);
    if (scopes === null) return invalidScope();
    if (generation! < row.generation) {
      return await repeat(request, {
        ...{ key, row, thumbprint },
        generation: generation!,
      });
    }
    const bound = { ...row, thumbprint };
    const next = rotate(bound, generation!, settings.now());
    if (!await settings.grants.replace(key, next, version)) continue;
    if (generation! > row.generation) {
      await report(settings, "store-rollback", row, key, request.context);
    }
    return await tokensOf(settings, key, next, scopes);
  }
  return {
    error: "temporarily_unavailable",
    description: "Try again",
    status: 503,
  };
}

/** Checks all but the generation, and returns the thumbprint of the key. */
async function checkRefresh(
  request: GrantRequest,
  row: GrantRow,
): Promise<string | undefined | TokenFailure> {
  const failure = await checkRequest(request, row);
  if (failure !== null) return failure;
  const user = await userOfGrant(request.settings, row);
  return user === null ? INVALID_GRANT : await checkKey(request, row);
}

/**
 * Returns the row of the next generation. A token that is newer than its row is
 * genuine, so the store has lost the last changes, as after a failover: the grant
 * continues from the token.
 */
function rotate(row: GrantRow, generation: number, now: number): GrantRow {
  return {
    ...row,
    exchangedAt: row.exchangedAt ?? now,
    generation: generation + 1,
    rotatedAt: now,
  };
}

/** Answers a token that has a successor. */
async function repeat(
  request: GrantRequest,
  { generation, key, row, thumbprint }: {
    readonly generation: number;
    readonly key: string;
    readonly row: GrantRow;
    readonly thumbprint: string | undefined;
  },
): Promise<TokenResult> {
  const { context, settings } = request;
  const { grants, lifetimes, now } = settings;
  const isRecent = now() - row.rotatedAt <= lifetimes.grace;
  if (generation === row.generation - 1 && isRecent) {
    // Another request of the client has changed the key.
    if (thumbprint !== row.thumbprint) return INVALID_GRANT;
    const scopes = requestedScopes(request, row);
    return await tokensOf(settings, key, row, scopes ?? row.scopes);
  }
  await grants.end(key);
  await report(settings, "token-reuse", row, key, context);
  return INVALID_GRANT;
}

/**
 * Returns the scopes of the access token. A request may ask for fewer than the grant
 * has, which keeps them all (RFC 6749, section 6).
 */
function requestedScopes(
  { form }: GrantRequest,
  { scopes }: GrantRow,
): readonly string[] | null {
  const text = form.get("scope");
  if (text === undefined) return scopes;
  const requested = text.split(" ")
    .filter((scope) => scope !== "" && scope !== "offline_access");
  if (requested.length === 0) return scopes;
  return requested.every((scope) => scopes.includes(scope))
    ? scopes.filter((scope) => requested.includes(scope))
    : null;
}

function invalidScope(): TokenFailure {
  return {
    error: "invalid_scope",
    description: "The grant does not have these scopes",
  };
}
