import { checkPositive } from "../../router/internal.ts";
import type { RequestContext } from "../../router/mod.ts";
import {
  onSessionEnd,
  type SessionEnd,
  sessionLogin,
} from "../../session/internal.ts";
import type { SessionStore } from "../../session/mod.ts";
import { sha256Base64Url } from "../../session/secrets.ts";
import { isIssuerOf } from "../external/engine.ts";
import {
  engineOf,
  type ExternalAuthProvider,
  type ExternalAuthSuccess,
} from "../external/provider.ts";
import { currentSession } from "../login/current_session.ts";
import { loginNamesOf, subjectName } from "../login/login_names.ts";
import { ENDED, NONE, Refresher, toResult } from "./_refresher.ts";
import { removeAll, revokeAll } from "./_token_removal.ts";
import {
  type Connection,
  type FoundConnection,
  type StoredTokens,
  TokenStore,
} from "./_token_store.ts";
import type {
  GetTokenOptions,
  TokenResult,
  TokenSource,
} from "./token_result.ts";

/** Options for {@linkcode keepTokens}. */
export interface KeepTokensOptions {
  /**
   * The store of the session middleware: the same object. With `owner: "user"` it
   * may be another store, and the end of sessions then removes no tokens.
   */
  readonly store: SessionStore;
  /**
   * The secrets that encrypt the tokens: at least 32 random characters each.
   * The first one encrypts, and all of them decrypt.
   */
  readonly secrets: readonly string[];
  /**
   * The owner of the tokens. With `"session"`, each login has its own tokens, and
   * they end with its session. With `"user"`, all sessions of a user share the
   * tokens of the last login. They end after 90 days without use, or if all
   * sessions of the user are ended together.
   *
   * @default {"session"}
   */
  readonly owner?: "session" | "user";
  /**
   * Revokes tokens at the provider when they are removed, or replaced by those of
   * another account. Some providers, such as Google, then end all logins of the
   * user in your application.
   *
   * @default {true}
   */
  readonly revoke?: boolean;
  /**
   * The milliseconds for which a request waits while another process refreshes the
   * token. Then the result is `unavailable`.
   *
   * @default {10_000}
   */
  readonly waitTimeout?: number;
}

/** The tokens of the users of one provider. */
export interface KeptTokens extends TokenSource {
  /**
   * Stores the tokens of a login. Call it in the request of the callback, after
   * `completeAuth`.
   *
   * @param context The context of the request.
   * @param result The result of `externalAuthResult`.
   * @throws {TypeError} If no user is logged in, the result is from another
   * provider, or the session is not in the same store.
   * @throws {RangeError} If the tokens take more than 40,000 bytes without the ID
   * token.
   * @throws {SessionStoreError} If the store fails.
   */
  save(
    context: RequestContext,
    result: ExternalAuthSuccess<unknown>,
  ): Promise<void>;
  /**
   * Removes the tokens of this session or user, and revokes them. The user stays
   * logged in.
   *
   * @param context The context of the request.
   * @returns `true` if there were tokens.
   * @throws {SessionStoreError} If the store fails.
   */
  end(context: RequestContext): Promise<boolean>;
}

/** The lifetime of a user's tokens without use, in milliseconds. */
const USER_LIFETIME = 90 * 24 * 60 * 60 * 1_000;

/** The age below which a rejected token is not refreshed, in milliseconds. */
const MIN_AGE = 30_000;

/**
 * Keeps the tokens of a provider on the server, and refreshes them.
 *
 * The tokens are stored encrypted. No cookie and no page contains them. If the
 * access token is about to expire, `get` refreshes it: all requests of all
 * processes together send one token request.
 *
 * When the session ends, the tokens are removed and revoked: at a logout, a
 * back-channel logout, and for all sessions of a user. The process that ends the
 * session must have called `keepTokens` with the same store. If a session expires,
 * the store removes its tokens, but the provider does not learn of it.
 *
 * @example Calling an API for the user
 * ```ts
 * import { assertEquals } from "@std/assert";
 * import { createOIDCAuthProvider } from "@gatehouse/web/auth";
 * import { keepTokens } from "@gatehouse/web/auth/provider-tokens";
 * import { createRouter } from "@gatehouse/web/fetch-router";
 * import { createMemorySessionStore } from "@gatehouse/web/session";
 * import { session } from "@gatehouse/web/session-middleware";
 *
 * const provider = createOIDCAuthProvider({
 *   name: "example",
 *   issuer: "https://id.example",
 *   clientId: "app",
 *   clientSecret: "s3cret",
 *   redirectUri: "https://app.example/callback",
 *   scopes: ["openid", "offline_access", "calendar"],
 * });
 * const store = createMemorySessionStore();
 * const tokens = keepTokens(provider, {
 *   store,
 *   secrets: ["c2VjcmV0IG9mIHRoZSBleGFtcGxlLCBub3QgeW91cnM"],
 * });
 * const router = createRouter({ middleware: [session({ store })] });
 * router.get("/calendar", async (context) => {
 *   const token = await tokens.get(context);
 *   if (!token.ok) return new Response(token.reason, { status: 401 });
 *   const Authorization = `Bearer ${token.accessToken}`;
 *   return await fetch("https://api.example/calendar", {
 *     headers: { Authorization },
 *   });
 * });
 *
 * const response = await router.fetch("https://app.example/calendar");
 * assertEquals(await response.text(), "none");
 * ```
 *
 * @param provider The provider of the logins.
 * @param options The store and the secrets.
 * @returns The tokens of the provider's users.
 * @throws {TypeError} If the store is only eventually consistent or has no index.
 * @throws {RangeError} If a secret is too short, or `waitTimeout` is not a positive
 * number.
 * @see {@link https://www.rfc-editor.org/rfc/rfc9700#section-4.14 | RFC 9700, section 4.14}
 */
export function keepTokens(
  provider: ExternalAuthProvider,
  options: KeepTokensOptions,
): KeptTokens {
  return new Tokens(provider, options);
}

/** The session or the user that tokens belong to. */
interface Owner {
  readonly key: string;
  readonly userId: string | number;
  readonly endsAt: number;
}

class Tokens implements KeptTokens {
  readonly #provider: ExternalAuthProvider;
  readonly #options: KeepTokensOptions;
  readonly #store: TokenStore;
  readonly #refresher: Refresher;
  readonly #now: () => number;

  constructor(provider: ExternalAuthProvider, options: KeepTokensOptions) {
    const { secrets, store, waitTimeout = 10_000 } = options;
    const revokes = options.revoke !== false;
    checkStore(store);
    checkPositive("kept tokens", "waitTimeout", waitTimeout, 600_000);
    this.#provider = provider;
    this.#options = options;
    this.#now = engineOf(provider).now;
    this.#store = new TokenStore(store, secrets, this.#now);
    this.#refresher = new Refresher(provider, this.#store, {
      waitTimeout,
      revokes,
    });
    onSessionEnd(store, (end) => this.#removeEnded(end));
  }

  async save(
    context: RequestContext,
    { issuer, tokens }: ExternalAuthSuccess<unknown>,
  ): Promise<void> {
    const owner = await this.#ownerOf(context);
    if (owner === null) {
      throw new TypeError(
        "Cannot keep tokens: no user is logged in, call completeAuth first",
      );
    }
    if (!await isIssuerOf(engineOf(this.#provider), issuer)) {
      throw new TypeError(
        `Cannot keep tokens: the login is not from "${this.#provider.name}"`,
      );
    }
    const { endsAt, key, userId } = owner;
    const names = this.#isPerUser
      ? [subjectName(issuer, tokens.subject ?? "")]
      : loginNamesOf(context);
    const index = [`user:${userId}`, ...names].map((one) =>
      this.#indexName(one)
    );
    const replaced = await this.#store.create(key, {
      tokens,
      savedAt: this.#now(),
      endsAt,
      index,
    });
    // At many providers, a revocation also ends later tokens of the same
    // account.
    if (replaced !== null && isOtherAccount(replaced, tokens)) {
      await this.#revoke([replaced]);
    }
  }

  async get(
    context: RequestContext,
    options: GetTokenOptions = {},
  ): Promise<TokenResult> {
    const { minimumValidity = 30_000, signal } = options;
    if (!(minimumValidity >= 0)) {
      throw new RangeError(
        `Cannot get tokens: minimumValidity "${minimumValidity}" is not a number of milliseconds`,
      );
    }
    const owner = await this.#ownerOf(context);
    const found = owner && await this.#store.read(owner.key);
    if (found === null) return NONE;
    if (found.tokens === null) return ENDED;
    await this.#extend(owner!, found);
    if (!this.#isStale(found, options)) return toResult(found, this.#now());
    const running = this.#refresher.refresh(context, owner!.key, found);
    const result = await unlessAborted(running, signal);
    const isUsable = !result.ok && result.reason === "unavailable" &&
      found.tokens.accessToken !== options.rejected &&
      (found.tokens.expiresAt ?? 0) > this.#now();
    return isUsable ? toResult(found, this.#now()) : result;
  }

  async end(context: RequestContext): Promise<boolean> {
    const owner = await this.#ownerOf(context);
    const tokens = owner && await this.#store.remove(owner.key);
    if (tokens === null) return false;
    await this.#revoke([tokens]);
    return true;
  }

  get #isPerUser(): boolean {
    return this.#options.owner === "user";
  }

  async #ownerOf(context: RequestContext): Promise<Owner | null> {
    const session = currentSession(context, "use the kept tokens");
    const login = sessionLogin(await session.load());
    if (login === null) return null;
    const { expiresAt, firstId, store, userId } = login;
    if (this.#isPerUser) {
      const key = await this.#keyOf("user", userId);
      return { key, userId, endsAt: this.#now() + USER_LIFETIME };
    }
    if (store !== this.#options.store) {
      throw new TypeError(
        'Cannot keep tokens: the session middleware has no store or another one, pass the same object or set owner to "user"',
      );
    }
    const key = await this.#keyOf(firstId, userId);
    return { key, userId, endsAt: expiresAt };
  }

  /** Returns a key that a session of another user never has. */
  async #keyOf(firstId: string, userId: string | number): Promise<string> {
    const { clientId, name } = this.#provider;
    const parts = [name, clientId, firstId, String(userId)];
    return `tokens:${await sha256Base64Url(JSON.stringify(parts))}`;
  }

  /**
   * Returns the index name of tokens. No session has it, and no tokens of another
   * provider, which must not receive these.
   */
  #indexName(name: string): string {
    const { clientId, name: provider } = this.#provider;
    return `tokens:${JSON.stringify([provider, clientId, name])}`;
  }

  /** Lets tokens live as long as their session, which a login can extend. */
  async #extend({ endsAt, key }: Owner, found: FoundConnection): Promise<void> {
    const missing = endsAt - found.endsAt;
    if (missing < 60_000 || missing * 10 < endsAt - this.#now()) return;
    // If another request writes at the same time, a later request extends the
    // tokens' lifetime.
    await this.#store.update(key, found, { endsAt });
  }

  #isStale(
    { refreshedAt, tokens }: Connection,
    { minimumValidity = 30_000, rejected }: GetTokenOptions,
  ): boolean {
    const { accessToken, expiresAt } = tokens as StoredTokens;
    if (accessToken === undefined) return true;
    const now = this.#now();
    if (rejected === accessToken && now - refreshedAt >= MIN_AGE) return true;
    if (expiresAt === undefined) return false;
    // A short-lived token must not be refreshed by each request.
    const half = (expiresAt - refreshedAt) / 2;
    const left = expiresAt - now;
    return left <= 0 || left < Math.min(minimumValidity, half);
  }

  /** Removes the tokens of sessions that have ended. Never rejects. */
  async #removeEnded(end: SessionEnd): Promise<void> {
    if ("firstId" in end) {
      if (this.#isPerUser) return;
      const key = await this.#keyOf(end.firstId, end.userId);
      await this.#revoke(await removeAll(this.#store, [key]));
      return;
    }
    const accept = ({ savedAt }: Connection) => savedAt <= end.before;
    // If the call fails, the store removes the tokens when they expire.
    const keys = await this.#store.keysOf(this.#indexName(end.name))
      .catch(() => []);
    await this.#revoke(await removeAll(this.#store, keys, accept));
  }

  async #revoke(all: readonly StoredTokens[]): Promise<void> {
    if (this.#options.revoke === false) return;
    await revokeAll(this.#provider, all);
  }
}

/** Returns `true` if both accounts at the provider are known, and not the same. */
function isOtherAccount(before: StoredTokens, after: StoredTokens): boolean {
  return before.subject !== undefined && after.subject !== undefined &&
    (before.subject !== after.subject || before.issuer !== after.issuer);
}

function checkStore(store: SessionStore): void {
  if (store.consistency === "eventual") {
    throw new TypeError(
      "Cannot keep tokens: the store is only eventually consistent, so two processes could use the same refresh token",
    );
  }
  if (store.byIndex === undefined) {
    throw new TypeError("Cannot keep tokens: the store has no byIndex");
  }
}

/** Waits for a promise until a signal is aborted. */
async function unlessAborted<Value>(
  promise: Promise<Value>,
  signal: AbortSignal | undefined,
): Promise<Value> {
  if (signal === undefined) return await promise;
  const { promise: aborted, reject } = Promise.withResolvers<never>();
  const onAbort = () => reject(signal.reason);
  if (signal.aborted) onAbort();
  signal.addEventListener("abort", onAbort, { once: true });
  try {
    return await Promise.race([promise, aborted]);
  } finally {
    signal.removeEventListener("abort", onAbort);
  }
}
