import type { Backing, SessionConfig } from "./_backing.ts";
import { CookieBacking } from "./_cookie_backing.ts";
import { Sealer } from "./_sealer.ts";

/** Options for {@linkcode createCookieSessionStorage}. */
export interface CookieSessionStorageOptions {
  /**
   * What the cookies are encrypted with, 32 characters or more each, from a
   * random source. The first one encrypts, all of them decrypt: to replace one,
   * put the new one in front and drop the old one a session's lifetime later.
   */
  readonly secrets: readonly string[];
  /**
   * Tells from when on a user's sessions count, in epoch milliseconds: those of
   * earlier logins are no sessions. It is asked on every request of a logged-in
   * user, and is what makes a logout everywhere possible.
   *
   * @default {undefined}
   */
  readonly revokedBefore?: (
    userId: string | number,
  ) => number | null | undefined | Promise<number | null | undefined>;
}

/** Sessions in cookies, for the option `store` of the session middleware. */
export interface CookieSessionStorage {
  /** Tells it from a store. */
  readonly kind: "cookie";
}

/** What `createCookieSessionStorage` returns. */
export class CookieStorage implements CookieSessionStorage {
  readonly kind = "cookie";
  readonly #sealer: Sealer;
  readonly #options: CookieSessionStorageOptions;

  /**
   * @throws {TypeError} If the secrets are not a list of strings.
   * @throws {RangeError} If there is no secret, or one is too short.
   */
  constructor(options: CookieSessionStorageOptions) {
    this.#sealer = new Sealer(options.secrets);
    this.#options = options;
  }

  /** Makes the backing of a request. */
  backing(name: string, config: SessionConfig): Backing {
    const { revokedBefore } = this.#options;
    return new CookieBacking(name, this.#sealer, config, revokedBefore);
  }
}
