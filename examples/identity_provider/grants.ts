import { base64url } from "jose";
import type { AuthorizationRequest } from "./authorization.ts";
import type { Person } from "./people.ts";

/** Milliseconds that a code can be exchanged. */
const CODE_LIFETIME = 60_000;

/** Milliseconds that an access token works. */
export const TOKEN_LIFETIME = 300_000;

/** The most codes and the most tokens that are kept: it is a demo. */
const MOST = 1_000;

/** The login that a code or an access token represents. */
export interface Grant {
  readonly request: AuthorizationRequest;
  readonly person: Person;
  /** The time of the login, in epoch milliseconds. */
  readonly authenticatedAt: number;
}

interface CodeEntry extends Grant {
  readonly expiresAt: number;
  /** The token that the code was exchanged for. */
  token: string | null;
}

/** Codes and access tokens, in memory: they end with the process. */
export class Grants {
  readonly #now: () => number;
  readonly #codes = new Map<string, CodeEntry>();
  readonly #tokens = new Map<string, Grant & { readonly expiresAt: number }>();

  /**
   * Creates an empty store.
   *
   * @param now Returns the time in epoch milliseconds.
   */
  constructor(now: () => number) {
    this.#now = now;
  }

  /** Creates a code for a grant. */
  issueCode(grant: Grant): string {
    const code = random();
    const expiresAt = this.#now() + CODE_LIFETIME;
    keep(this.#codes, code, { ...grant, expiresAt, token: null });
    return code;
  }

  /**
   * Exchanges a code for an access token, once. A code that comes again was
   * stolen on the way: its token ends too (RFC 6749, section 4.1.2).
   */
  exchange(
    code: string,
    isFor: (grant: Grant) => boolean,
  ): { readonly grant: Grant; readonly token: string } | null {
    const entry = this.#codes.get(code);
    if (entry === undefined) return null;
    if (entry.token !== null) {
      this.#tokens.delete(entry.token);
      this.#codes.delete(code);
      return null;
    }
    if (entry.expiresAt <= this.#now() || !isFor(entry)) {
      this.#codes.delete(code);
      return null;
    }
    entry.token = random();
    const expiresAt = this.#now() + TOKEN_LIFETIME;
    keep(this.#tokens, entry.token, { ...entry, expiresAt });
    return { grant: entry, token: entry.token };
  }

  /** Returns the grant of a valid access token. */
  find(token: string): Grant | null {
    const entry = this.#tokens.get(token);
    return entry === undefined || entry.expiresAt <= this.#now() ? null : entry;
  }
}

/** Adds an entry and drops the oldest if there are too many. */
function keep<Value>(
  map: Map<string, Value>,
  key: string,
  value: Value,
): void {
  map.set(key, value);
  if (map.size > MOST) map.delete(map.keys().next().value!);
}

function random(): string {
  return base64url.encode(crypto.getRandomValues(new Uint8Array(32)));
}
