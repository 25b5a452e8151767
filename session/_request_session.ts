import type { RequestContext } from "../router/mod.ts";
import type { AnonymousLimiter } from "./_anonymous_limit.ts";
import { PendingChanges } from "./_pending_changes.ts";
import type { SessionLabel } from "./_record.ts";
import { readCookies } from "./cookies/header.ts";
import type { CookiePolicy } from "./cookies/policy.ts";
import { CookieStorage } from "./drivers/cookie_driver.ts";
import type { SessionConfig, SessionDriver } from "./drivers/driver.ts";
import { StoreDriver } from "./drivers/store_driver.ts";
import type { SessionStore } from "./store.ts";
import { REQUEST_SESSION } from "./session.ts";

/** Another cookie with the security of the session's cookie. */
export interface HostCookie {
  /** The value that the browser sent, or that was set before. */
  readonly value: string | undefined;
  /** Sets the cookie on the response, for a number of seconds. */
  set(value: string, maxAge: number): void;
}

/** The setup of one session middleware, which its requests share. */
export interface SessionSetup {
  /** Whether a session is read only when someone calls `load`. */
  readonly isLazy: boolean;
  readonly config: SessionConfig;
  readonly policy: CookiePolicy;
  readonly storage: SessionStore | CookieStorage;
  readonly quota: AnonymousLimiter;
}

const NO_COOKIES: readonly string[] = [];

/** The longest `User-Agent` that is remembered, in characters. */
const MAX_USER_AGENT = 256;

/**
 * One request and its session. The changes is made when it is first asked for:
 * a request that asks for nothing pays for nothing.
 */
export class RequestSession {
  /** Only the library has an object with this property. */
  readonly [REQUEST_SESSION] = true;
  /** Extra response headers. */
  headers: Headers | undefined;
  /** The `Set-Cookie` headers of other cookies, and their values, by name. */
  #hostCookies: Map<string, { value: string; header: string }> | undefined;
  readonly #context: RequestContext;
  readonly #setup: SessionSetup;
  #isSecure = true;
  #changes: PendingChanges | undefined;
  #driver: SessionDriver | undefined;
  #isClosed = false;

  constructor(setup: SessionSetup, context: RequestContext) {
    this.#setup = setup;
    this.#context = context;
  }

  /** The store that sessions can be listed in; `null` where there is none. */
  get store(): SessionStore | null {
    const { storage } = this.#setup;
    return storage instanceof CookieStorage ? null : storage;
  }

  /** What the middleware was set up with. */
  get config(): SessionConfig {
    return this.#setup.config;
  }

  /** `true` if browsers send the cookie only from pages of the same site. */
  get isStrict(): boolean {
    return this.#setup.policy.isStrict;
  }

  /** Whether nothing asked for the session so far. */
  get isUntouched(): boolean {
    return this.#changes === undefined;
  }

  /** The session's changes. */
  get changes(): PendingChanges {
    return this.#changes ??= this.#begin();
  }

  /** The `Set-Cookie` headers of cookies other than the session's. */
  get hostCookies(): readonly string[] {
    return this.#hostCookies === undefined
      ? NO_COOKIES
      : Array.from(this.#hostCookies.values(), ({ header }) => header);
  }

  /** Returns another cookie of this host, which has the session's security. */
  hostCookie(name: string): HostCookie {
    const policy = this.#setup.policy.forHost(name);
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
    const { policy } = this.#setup;
    return this.#driver?.cookies.map((change) =>
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
    const { changes } = this;
    if (!changes.closed) return changes.load(header);
    return Promise.reject(
      new TypeError("Cannot load session: the response was already made"),
    );
  }

  /** Notes that the response is made. */
  close(): void {
    this.#isClosed = true;
    if (this.#changes !== undefined) this.#changes.closed = true;
  }

  #begin(): PendingChanges {
    const { config, isLazy, policy, quota, storage } = this.#setup;
    // Now, for Deno closes a request that is upgraded to a WebSocket.
    this.#isSecure = policy.isSecure(this.#context);
    const name = policy.name(this.#isSecure);
    const label = () => labelOf(this.#context);
    this.#driver = storage instanceof CookieStorage
      ? storage.createDriver(name, config)
      : new StoreDriver(
        name,
        storage,
        config,
        () => quota.admit(label().address),
      );
    const changes = new PendingChanges(this.#driver, config, label);
    changes.closed = this.#isClosed;
    // Else the middleware loads it before anyone gets to see it.
    changes.isLoaded = !isLazy;
    return changes;
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
