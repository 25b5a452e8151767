import type { Backing, SessionConfig } from "./_backing.ts";
import { CookieBacking } from "./_cookie_backing.ts";
import { Sealer } from "./_sealer.ts";

/** Options for {@linkcode createCookieSessionStorage}. */
export interface CookieSessionStorageOptions {
  /**
   * Secrets that encrypt the cookies, 32 characters or more each, from a random
   * source: `openssl rand -base64 32`. The first one encrypts, all of them decrypt: to replace one,
   * put the new one in front and drop the old one a session's lifetime later.
   */
  readonly secrets: readonly string[];
  /**
   * Returns the time of a user's last revocation in epoch milliseconds. Sessions
   * of logins up to that millisecond are over; a login that comes after the
   * revocation, even in the same request, counts as later. It is asked on every request of a logged-in
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
   * @throws {RangeError} If there is no secret, or one is too short or too easy to
   * guess.
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
