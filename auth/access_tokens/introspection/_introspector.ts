import { SingleFlight } from "../../../router/internal.ts";
import { randomToken, sha256Base64Url } from "../../../session/secrets.ts";
import {
  type AccessTokenVerification,
  ExternalAuthError,
  type JSONObject,
  resolveIssuerOptions,
  RETRY_AFTER,
  RetryPause,
} from "../../issuer/mod.ts";
import { checkIntrospected } from "./_introspected_claims.ts";
import { isUnavailable, Outage } from "./_outage.ts";
import { createRequest } from "./_request.ts";
import type { IntrospectedIssuer, IntrospectionOptions } from "./options.ts";

/**
 * The milliseconds after which a request that waits for another one asks the
 * issuer itself.
 */
const LOST_AFTER = 2_000;

/** The milliseconds for which the cache keeps an inactive token. */
const INACTIVE_FOR = 10_000;

/**
 * The maximum numbers of inactive and failed tokens in the cache. They are
 * separate from the active ones, because anyone can send tokens.
 */
const MAX_INACTIVE = 1_000;

/**
 * The maximum number of tokens for which concurrent requests share one call.
 */
const MAX_FLIGHTS = 1_000;

/** The statuses of servers that cannot read a token. */
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
  /** The tokens that the issuer failed to handle in the last five seconds. */
  readonly #failed = new ResultCache<true>(MAX_INACTIVE);
  readonly #outage: Outage;
  readonly #reported: RetryPause;

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
    this.#outage = new Outage(() => this.#probe(), this.#now);
    this.#reported = new RetryPause(this.#now);
  }

  async verify(token: string): Promise<AccessTokenVerification> {
    // The key is a hash, so a memory dump contains no usable tokens.
    const key = await sha256Base64Url(token);
    const time = this.#now();
    if (this.#inactive.get(key, time)) return { ok: false, problem: "invalid" };
    let body = this.#active.get(key, time);
    if (
      body === undefined &&
      (this.#failed.get(key, time) || !await this.#outage.isOver())
    ) return { ok: false, problem: "unavailable" };
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

  /** Asks about a token that no client has sent, and none can predict. */
  async #probe(): Promise<void> {
    try {
      await this.#ask(randomToken());
    } catch (error) {
      this.#report(error as ExternalAuthError);
      throw error;
    }
  }

  async #introspect(key: string, token: string): Promise<JSONObject> {
    const body = await this.#joined(key, () => this.#ask(token));
    const time = this.#now();
    this.#outage.end();
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
    // Anyone can send a token that the issuer answers with an error, which must
    // not affect other tokens.
    if (isUnavailable(error)) this.#outage.suspect(error);
    else this.#outage.end();
    this.#report(error);
    const isUnreadable = error.code === "introspection_failed" &&
      UNREADABLE.includes(error.status);
    if (isUnreadable) return { ok: false, problem: "invalid" };
    const time = this.#now();
    this.#failed.set(key, true, time, time + RETRY_AFTER);
    return { ok: false, problem: "unavailable" };
  }

  #report(error: ExternalAuthError): void {
    if (this.#reported.isRunning) return;
    this.#reported.start();
    (this.#issuer.onError ?? console.error)(error);
  }
}

interface Entry<Value> {
  readonly value: Value;
  readonly at: number;
  readonly until: number;
}

/** A cache with a maximum number of entries, each of which expires. */
class ResultCache<Value> {
  readonly #maxEntries: number;
  readonly #entries = new Map<string, Entry<Value>>();

  constructor(maxEntries: number) {
    this.#maxEntries = maxEntries;
  }

  get(key: string, now: number): Value | undefined {
    const entry = this.#entries.get(key);
    // A time in the future comes from a clock that was wrong.
    if (entry && entry.at <= now && now < entry.until) return entry.value;
    this.#entries.delete(key);
    return undefined;
  }

  set(key: string, value: Value, now: number, until: number): void {
    if (until <= now || this.#maxEntries === 0) return;
    this.#entries.delete(key);
    // A map keeps the insertion order, so the first key is the oldest.
    const [oldest] = this.#entries.keys();
    if (oldest !== undefined && this.#entries.size >= this.#maxEntries) {
      this.#entries.delete(oldest);
    }
    this.#entries.set(key, { value, at: now, until });
  }
}
