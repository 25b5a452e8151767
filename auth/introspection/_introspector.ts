import { SingleFlight } from "../../router/internal.ts";
import { sha256Base64Url } from "../../session/secrets.ts";
import {
  type AccessTokenVerification,
  ExternalAuthError,
  type JSONObject,
  resolveIssuerOptions,
} from "../issuer/mod.ts";
import { checkIntrospected } from "./_introspected_claims.ts";
import { createRequest } from "./_request.ts";
import { ResultCache } from "./_result_cache.ts";
import type { IntrospectedIssuer, IntrospectionOptions } from "./options.ts";

/** Milliseconds for which an issuer is not asked after a failure. */
const RETRY_AFTER = 5_000;

/** Milliseconds after which a waiting request asks the issuer too. */
const LOST_AFTER = 2_000;

/** Milliseconds for which it is remembered that a token is not active. */
const INACTIVE_FOR = 10_000;

/**
 * The maximum number of inactive tokens that are remembered, separately from the
 * active ones: anyone can send tokens.
 */
const MAX_INACTIVE = 1_000;

/** The maximum number of tokens whose concurrent requests are joined. */
const MAX_FLIGHTS = 1_000;

/**
 * The number of different tokens whose failures mean that the issuer is
 * unavailable. Anyone can send a token that an issuer fails to handle.
 */
const MAX_FAILED_TOKENS = 3;

/** The statuses of an issuer that is unavailable for every token. */
const UNAVAILABLE: readonly (number | undefined)[] = [undefined, 401, 503];

/** The statuses with which servers refuse a token that they cannot read. */
const UNREADABLE: readonly (number | undefined)[] = [400, 413, 414, 422, 431];

/** Asks an issuer about tokens, and remembers the results. */
export class Introspector {
  readonly #issuer: IntrospectedIssuer;
  readonly #options: IntrospectionOptions;
  readonly #ask: (token: string) => Promise<JSONObject>;
  readonly #now: () => number;
  readonly #clockTolerance: number;
  readonly #maxCacheTime: number;
  readonly #active: ResultCache<JSONObject>;
  readonly #inactive = new ResultCache<true>(MAX_INACTIVE);
  readonly #flights = new Map<string, SingleFlight<JSONObject>>();
  /** The tokens that failed since the last success, and their times. */
  readonly #failedTokens = new Map<string, number>();
  /** The time of the last failure or attempt of an outage, else -Infinity. */
  #failedAt = -Infinity;
  #reportedAt = -Infinity;

  constructor(
    issuer: IntrospectedIssuer,
    options: IntrospectionOptions,
    owner: string,
  ) {
    const resolved = resolveIssuerOptions(issuer, owner);
    this.#issuer = issuer;
    this.#options = options;
    this.#ask = createRequest(issuer.issuer, options, resolved, owner);
    this.#now = resolved.now;
    this.#clockTolerance = resolved.clockTolerance;
    this.#maxCacheTime = options.maxCacheTime ?? 60_000;
    this.#active = new ResultCache(options.maxCacheEntries ?? 10_000);
  }

  async verify(token: string): Promise<AccessTokenVerification> {
    // A dump of the memory contains no usable tokens.
    const key = await sha256Base64Url(token);
    const time = this.#now();
    if (this.#inactive.get(key, time)) return { ok: false, problem: "invalid" };
    let body = this.#active.get(key, time);
    if (body === undefined && this.#isWaiting(key, time)) {
      return { ok: false, problem: "unavailable" };
    }
    try {
      body ??= await this.#introspect(key, token);
    } catch (error) {
      return this.#handle(error, key);
    }
    return checkIntrospected(body, {
      ...this.#issuer,
      allowMissingAudience: this.#options.allowMissingAudience ?? false,
      clockTolerance: this.#clockTolerance,
      now: this.#now() / 1000,
    });
  }

  /**
   * Returns `true` after a failure of this token, and during an outage. In an
   * outage, one request in five seconds asks the issuer.
   */
  #isWaiting(key: string, time: number): boolean {
    if (isRecent(this.#failedTokens.get(key) ?? -Infinity, time)) return true;
    if (this.#failedAt === -Infinity) return false;
    if (isRecent(this.#failedAt, time)) return true;
    this.#failedAt = time;
    return false;
  }

  async #introspect(key: string, token: string): Promise<JSONObject> {
    const body = await this.#joined(key, () => this.#ask(token));
    const time = this.#now();
    this.#failedAt = -Infinity;
    this.#failedTokens.clear();
    if (body.active === true) {
      const end = typeof body.exp === "number" ? body.exp * 1000 : Infinity;
      const until = Math.min(time + this.#maxCacheTime, end);
      this.#active.set(key, body, time, until);
    } else {
      this.#inactive.set(key, true, time, time + INACTIVE_FOR);
    }
    return body;
  }

  /** Joins concurrent requests with the same token. */
  async #joined(
    key: string,
    ask: () => Promise<JSONObject>,
  ): Promise<JSONObject> {
    const flights = this.#flights;
    const flight = flights.get(key) ?? new SingleFlight(LOST_AFTER);
    const [oldest] = flights.keys();
    if (oldest !== undefined && flights.size >= MAX_FLIGHTS) {
      flights.delete(oldest);
    }
    flights.set(key, flight);
    try {
      return await flight.run(ask);
    } finally {
      if (!flight.isRunning) flights.delete(key);
    }
  }

  #handle(error: unknown, key: string): AccessTokenVerification {
    if (!(error instanceof ExternalAuthError)) throw error;
    const isUnreadable = error.code === "introspection_failed" &&
      UNREADABLE.includes(error.status);
    const time = this.#now();
    // Anyone can send such a token, which must not affect the others. The issuer
    // answered it, so it is available.
    if (isUnreadable) this.#failedAt = -Infinity;
    else if (this.#isOutage(error, key, time)) this.#failedAt = time;
    if (!isRecent(this.#reportedAt, time)) {
      this.#reportedAt = time;
      (this.#issuer.onError ?? console.error)(error);
    }
    return { ok: false, problem: isUnreadable ? "invalid" : "unavailable" };
  }

  /** Counts a failure. Returns `true` if it means that the issuer is unavailable. */
  #isOutage(
    { code, status }: ExternalAuthError,
    key: string,
    time: number,
  ): boolean {
    const failed = this.#failedTokens;
    for (const [token, at] of failed) {
      if (!isRecent(at, time)) failed.delete(token);
    }
    if (failed.size < MAX_FAILED_TOKENS) failed.set(key, time);
    return code !== "introspection_failed" || UNAVAILABLE.includes(status) ||
      failed.size >= MAX_FAILED_TOKENS;
  }
}

function isRecent(at: number, time: number): boolean {
  return at <= time && time - at < RETRY_AFTER;
}
