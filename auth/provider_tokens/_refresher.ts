import {
  endsWithClient,
  SingleFlight,
  waitUntilOf,
} from "../../router/internal.ts";
import type { RequestContext } from "../../router/mod.ts";
import { randomToken } from "../../session/secrets.ts";
import {
  type ExternalAuthRefreshFailure,
  prepareRefresh,
  refreshExternalAuth,
} from "../external/after_login/refresh.ts";
import { revokeExternalAuth } from "../external/after_login/revoke.ts";
import { engineOf, type ExternalAuthProvider } from "../external/provider.ts";
import { ExternalAuthError } from "../issuer/mod.ts";
import {
  conflict,
  type Connection,
  type FoundConnection,
  type StoredTokens,
  type TokenStore,
} from "./_token_store.ts";
import type {
  LoginRequired,
  TokenResult,
  TokenUnavailable,
} from "./token_result.ts";

/**
 * The time by which a lease outlasts the requests that it covers, in
 * milliseconds.
 */
const LEASE_MARGIN = 5_000;

/** The longest pause after failed refreshes, in milliseconds. */
const MAX_PAUSE = 60_000;

/**
 * The number of attempts to store refreshed tokens, which take about 10
 * seconds.
 */
const SAVE_ATTEMPTS = 10;

/**
 * The errors after which only a new login helps. GitHub sends the last one, and
 * Microsoft Entra ID those in the middle if a policy has changed.
 */
const FINAL_ERRORS = [
  "invalid_grant",
  "interaction_required",
  "login_required",
  "consent_required",
  "bad_refresh_token",
];

/** The result for a user without a connection. */
export const NONE: LoginRequired = { ok: false, reason: "none" };

/** The result for a connection that the provider has ended. */
export const ENDED: LoginRequired = { ok: false, reason: "ended" };

/**
 * Refreshes tokens under a lease in the store, so that all processes together
 * send one token request. The others wait for the new tokens.
 */
export class Refresher {
  readonly #provider: ExternalAuthProvider;
  readonly #store: TokenStore;
  readonly #waitTimeout: number;
  readonly #revokes: boolean;
  readonly #leaseTime: number;
  /** The running refreshes of this process, by key and generation. */
  readonly #flights = new Map<string, SingleFlight<TokenResult>>();

  constructor(
    provider: ExternalAuthProvider,
    store: TokenStore,
    { waitTimeout, revokes }: { waitTimeout: number; revokes: boolean },
  ) {
    this.#provider = provider;
    this.#store = store;
    this.#revokes = revokes;
    this.#waitTimeout = waitTimeout;
    // The lease covers one timeout for the tokens and one for new keys.
    this.#leaseTime = 2 * engineOf(provider).timeout + LEASE_MARGIN;
  }

  /** Refreshes the tokens of a connection, once for all concurrent calls. */
  async refresh(
    context: RequestContext,
    key: string,
    stale: Connection,
  ): Promise<TokenResult> {
    const id = `${key} ${stale.generation}`;
    const flight = this.#flights.get(id) ??
      new SingleFlight<TokenResult>(this.#leaseTime + this.#waitTimeout);
    this.#flights.set(id, flight);
    const running = flight.run(() => this.#run(key, stale));
    // The tokens have to be stored even if the client leaves.
    if (endsWithClient) waitUntilOf(context)?.(running.catch(() => {}));
    try {
      return await running;
    } finally {
      if (this.#flights.get(id) === flight) this.#flights.delete(id);
    }
  }

  async #run(key: string, stale: Connection): Promise<TokenResult> {
    const engine = engineOf(this.#provider);
    const { tokens } = stale;
    if (!tokens?.refreshToken) return ENDED;
    if (isPaused(stale, this.#store.now())) {
      return unavailable(stale, this.#store.now());
    }
    try {
      // This comes before the lease, which then covers the token request only.
      await prepareRefresh(engine, tokens);
    } catch (error) {
      if (!(error instanceof ExternalAuthError)) throw error;
      engine.options.onError?.(error);
      return error.code === "provider_mismatch"
        ? { ...ENDED, error }
        : await this.#pause(key, stale, error);
    }
    return await this.#refreshUnderLease(key, stale);
  }

  /**
   * Waits until this process has the lease, or another one has stored new
   * tokens.
   */
  async #refreshUnderLease(
    key: string,
    stale: Connection,
  ): Promise<TokenResult> {
    const { now } = this.#store;
    const deadline = Date.now() + this.#waitTimeout;
    for (let attempt = 0;; attempt++) {
      const found = await this.#store.read(key);
      if (found === null) return NONE;
      if (found.generation !== stale.generation) return toResult(found, now());
      if (isPaused(found, now())) return unavailable(found, now());
      const { lease } = found;
      if (lease === undefined || lease.until <= now()) {
        const result = await this.#takeLease(key, found);
        if (result !== null) return result;
      }
      if (Date.now() >= deadline) return unavailable(found, now());
      await pause(attempt);
    }
  }

  /**
   * Refreshes the tokens, or returns `null` if another process won the race.
   */
  async #takeLease(
    key: string,
    found: FoundConnection,
  ): Promise<TokenResult | null> {
    const until = this.#store.now() + this.#leaseTime;
    const lease = { id: randomToken(), until };
    if (!await this.#store.update(key, found, { lease })) return null;
    const tokens = found.tokens!;
    const result = await refreshExternalAuth(this.#provider, tokens);
    if (result.ok) return await this.#save(key, found, result.tokens);
    if (result.tokens !== undefined) {
      const { error } = result;
      const saved = await this.#save(key, found, result.tokens, error);
      return saved.ok ? saved : { ...saved, error };
    }
    if (!isFinal(result)) {
      return await this.#pause(key, found, result.error, lease.id);
    }
    return await this.#end(key, found, result.error);
  }

  /**
   * Stores refreshed tokens. The earlier refresh token may be invalid now, so
   * this tries again if the store fails, even without the lease.
   */
  async #save(
    key: string,
    before: Connection,
    tokens: StoredTokens,
    error?: ExternalAuthError,
  ): Promise<TokenResult> {
    const { now } = this.#store;
    for (let attempt = 1;; attempt++) {
      try {
        const found = await this.#store.read(key);
        if (found === null) {
          // The session has ended in the meantime.
          if (this.#revokes) await revokeTokens(this.#provider, tokens);
          return NONE;
        }
        const isReplaced = found.generation !== before.generation;
        // If another process has ended the connection, it did so because the old
        // refresh token was used, and these tokens are newer.
        if (isReplaced && found.tokens !== null) return toResult(found, now());
        const head = error && pauseOf(before, now());
        if (await this.#store.replace(key, found, tokens, head)) {
          const saved = { ...found, ...head, tokens };
          return error ? unavailable(saved, now()) : toResult(saved, now());
        }
        if (attempt >= SAVE_ATTEMPTS) throw conflict("save");
      } catch (cause) {
        if (cause instanceof RangeError) {
          return await this.#end(key, before, tooLarge(cause));
        }
        if (attempt >= SAVE_ATTEMPTS) throw cause;
      }
      await pause(attempt + 2);
    }
  }

  /** Remembers that the provider failed, and frees the lease if it has it. */
  async #pause(
    key: string,
    before: Connection,
    error: ExternalAuthError,
    leaseId?: string,
  ): Promise<TokenUnavailable> {
    const { now } = this.#store;
    const head = pauseOf(before, now());
    await this.#store.updateWhile(key, before, ({ lease }) => ({
      ...head,
      lease: lease?.id === leaseId ? undefined : lease,
    }));
    return { ...unavailable({ ...before, ...head }, now()), error };
  }

  /** Ends a connection, unless another process has stored other tokens. */
  async #end(
    key: string,
    before: Connection,
    error: ExternalAuthError,
  ): Promise<TokenResult> {
    const { now } = this.#store;
    const found = await this.#store.end(key, before);
    if (found === null) return NONE;
    // The tokens come from a process that seemed dead, or from a new login.
    return found.generation === before.generation
      ? { ...ENDED, error }
      : toResult(found, now());
  }
}

/** Revokes tokens, if the provider has an endpoint for it. Never rejects. */
export async function revokeTokens(
  provider: ExternalAuthProvider,
  tokens: StoredTokens,
): Promise<void> {
  const metadata = await engineOf(provider).metadata().catch(() => null);
  if (metadata !== null && metadata.revocation_endpoint === undefined) return;
  await revokeExternalAuth(provider, tokens);
}

/** Converts a connection to the result of a caller. */
export function toResult(
  connection: Connection,
  now: number,
): TokenResult {
  const { tokens } = connection;
  if (tokens === null) return ENDED;
  const { accessToken, dpopKey, expiresAt, scope } = tokens;
  // After a failed check, no access token was stored.
  if (accessToken === undefined) return unavailable(connection, now);
  return {
    ok: true,
    accessToken,
    ...expiresAt !== undefined && { expiresAt },
    ...scope !== undefined && { scope },
    ...dpopKey !== undefined && { dpopKey },
  };
}

function isPaused({ retryAt = 0 }: Connection, now: number): boolean {
  return retryAt > now;
}

/** Returns a pause that doubles with each failure. */
function pauseOf({ failures = 0 }: Connection, now: number) {
  const length = Math.min(1_000 * 2 ** failures, MAX_PAUSE);
  return { failures: failures + 1, retryAt: now + length };
}

function unavailable(
  { retryAt = 0 }: Connection,
  now: number,
): TokenUnavailable {
  const retryAfter = Math.max(1, Math.ceil((retryAt - now) / 1_000));
  return { ok: false, reason: "unavailable", retryAfter };
}

function isFinal({ error }: ExternalAuthRefreshFailure): boolean {
  const { code, providerError = "" } = error;
  return code === "token_request_refused"
    ? FINAL_ERRORS.includes(providerError)
    // After a failed check there are new tokens, unless they belong to another
    // login.
    : code === "id_token_invalid";
}

function tooLarge(cause: RangeError): ExternalAuthError {
  return new ExternalAuthError("token_response_invalid", cause.message);
}

/**
 * Waits before the next look: The first pause is 30 ms, and later ones are
 * random, up to 250 ms.
 */
function pause(attempt: number): Promise<void> {
  const longest = Math.min(30 * 2 ** Math.min(attempt, 10), 250);
  const time = longest * (0.5 + Math.random() / 2);
  return new Promise((resolve) => setTimeout(resolve, time));
}
