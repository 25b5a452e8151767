import type { RequestContext } from "../router/mod.ts";
import type { AnonymousQuota } from "./_anonymous_quota.ts";
import type { Backing, SessionConfig } from "./_backing.ts";
import type { CookiePolicy } from "./_cookie.ts";
import { readCookies } from "./_cookie_header.ts";
import { CookieStorage } from "./_cookie_storage.ts";
import { Journal } from "./_journal.ts";
import type { SessionLabel } from "./_record.ts";
import { StoreBacking } from "./_store_backing.ts";
import type { HostCookie, SessionScope } from "./session.ts";
import type { SessionStore } from "./store.ts";

/** What the requests of one middleware share. */
export interface Shared {
  /** Whether a session is read only when someone calls `load`. */
  readonly isLazy: boolean;
  readonly config: SessionConfig;
  readonly policy: CookiePolicy;
  readonly storage: SessionStore | CookieStorage;
  readonly quota: AnonymousQuota;
}

const NO_COOKIES: readonly string[] = [];

/** The longest `User-Agent` that is remembered, in characters. */
const MAX_USER_AGENT = 256;

/**
 * One request and its session. The journal is made when it is first asked for:
 * a request that asks for nothing pays for nothing.
 */
export class Scope implements SessionScope {
  /** Headers that the response needs besides; what asks for them knows why. */
  headers: Headers | undefined;
  /** The `Set-Cookie` headers of other cookies, and their values, by name. */
  #hostCookies: Map<string, { value: string; header: string }> | undefined;
  readonly #context: RequestContext;
  readonly #shared: Shared;
  #isSecure = true;
  #journal: Journal | undefined;
  #backing: Backing | undefined;
  #isClosed = false;

  constructor(shared: Shared, context: RequestContext) {
    this.#shared = shared;
    this.#context = context;
  }

  /** The store that sessions can be listed in; `null` where there is none. */
  get store(): SessionStore | null {
    const { storage } = this.#shared;
    return storage instanceof CookieStorage ? null : storage;
  }

  /** What the middleware was set up with. */
  get config(): SessionConfig {
    return this.#shared.config;
  }

  /** `true` if browsers send the cookie only from pages of the same site. */
  get isStrict(): boolean {
    return this.#shared.policy.isStrict;
  }

  /** Whether nothing asked for the session so far. */
  get isUntouched(): boolean {
    return this.#journal === undefined;
  }

  /** The session's changes. */
  get journal(): Journal {
    return this.#journal ??= this.#begin();
  }

  /** The `Set-Cookie` headers of cookies other than the session's. */
  get hostCookies(): readonly string[] {
    return this.#hostCookies === undefined
      ? NO_COOKIES
      : Array.from(this.#hostCookies.values(), ({ header }) => header);
  }

  /** Returns another cookie of this host, which has the session's security. */
  hostCookie(name: string): HostCookie {
    const policy = this.#shared.policy.forHost(name);
    const isSecure = policy.isSecure(this.#context);
    const fullName = policy.name(isSecure);
    const header = this.#context.request.headers.get("Cookie");
    return {
      value: this.#hostCookies?.get(fullName)?.value ??
        readCookies(header, fullName)[0],
      set: (value, maxAge) => {
        const change = { suffix: "", value, maxAge };
        const header = policy.setCookie(change, isSecure);
        this.#hostCookies ??= new Map();
        this.#hostCookies.set(fullName, { value, header });
      },
    };
  }

  /** The `Set-Cookie` headers that the response needs. */
  get cookies(): string[] {
    const { policy } = this.#shared;
    return this.#backing?.cookies.map((change) =>
      policy.setCookie(change, this.#isSecure)
    ) ?? [];
  }

  /**
   * Reads the session that the request's cookies lead to.
   *
   * @param header The `Cookie` header, where it was read already.
   * @throws {TypeError} If the response was made.
   */
  load(
    header: string | null = this.#context.request.headers.get("Cookie"),
  ): Promise<void> {
    const { journal } = this;
    if (!journal.closed) return journal.load(header);
    return Promise.reject(
      new TypeError("Cannot load session: the response was already made"),
    );
  }

  /** Notes that the response is made. */
  close(): void {
    this.#isClosed = true;
    if (this.#journal !== undefined) this.#journal.closed = true;
  }

  #begin(): Journal {
    const { config, isLazy, policy, quota, storage } = this.#shared;
    // Now, for Deno closes a request that is upgraded to a WebSocket.
    this.#isSecure = policy.isSecure(this.#context);
    const name = policy.name(this.#isSecure);
    const label = () => labelOf(this.#context);
    this.#backing = storage instanceof CookieStorage
      ? storage.backing(name, config)
      : new StoreBacking(
        name,
        storage,
        config,
        () => quota.admit(label().address),
      );
    const journal = new Journal(this.#backing, config, label);
    journal.closed = this.#isClosed;
    // Else the middleware loads it before anyone gets to see it.
    journal.isLoaded = !isLazy;
    return journal;
  }
}

function labelOf(context: RequestContext): SessionLabel {
  try {
    const userAgent = context.request.headers.get("User-Agent")
      ?.slice(0, MAX_USER_AGENT);
    const address = context.remoteAddress;
    return { ...userAgent && { userAgent }, ...address && { address } };
  } catch {
    // Deno closes a request that is upgraded: then the session has no label.
    return {};
  }
}
