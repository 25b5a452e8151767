import {
  type CallStore,
  type CipherKind,
  CookieCipher,
  STORE_TIMEOUT,
  storeCaller,
} from "../../session/internal.ts";
import {
  type SessionStore,
  SessionStoreError,
  type StoredValue,
} from "../../session/mod.ts";
import { randomToken } from "../../session/secrets.ts";
import type { RefreshableTokens } from "../external/after_login/refresh.ts";

/** The part of a stored connection that is not encrypted. */
interface Head {
  /** Changes with each new set of tokens. */
  readonly generation: string;
  /** The time of the login, in epoch milliseconds. */
  readonly savedAt: number;
  /** The time of the last tokens, in epoch milliseconds. */
  readonly refreshedAt: number;
  /** The time at which the store removes the connection. */
  readonly endsAt: number;
  /** The index names. */
  readonly index: readonly string[];
  /** The process that is refreshing the tokens. */
  readonly lease?: Lease | undefined;
  /** The number of failed refreshes since the last success. */
  readonly failures?: number;
  /** The time of the next refresh after a failure, in epoch milliseconds. */
  readonly retryAt?: number;
}

/** The right to refresh tokens. */
export interface Lease {
  readonly id: string;
  /** The time from which others may take it, in epoch milliseconds. */
  readonly until: number;
}

/** The tokens of a login. There is no access token after a failed check. */
export type StoredTokens = RefreshableTokens;

/** A connection to a provider, as the store has it. */
export interface Connection extends Head {
  /** The version in the store. */
  readonly version: string;
  /** The encrypted tokens. */
  readonly sealed: string;
  /** The tokens, or `null` if the provider has ended the connection. */
  readonly tokens: StoredTokens | null;
}

/** The values of a new connection. */
export type NewConnection = Pick<Head, "savedAt" | "endsAt" | "index"> & {
  readonly tokens: StoredTokens;
};

const TOKENS: CipherKind = {
  name: "tokens",
  info: "gatehouse provider tokens",
  maxLength: 65_536,
};

/**
 * The maximum size of tokens in bytes. Encrypted, they are within the 64 KiB of a
 * value in Deno KV.
 */
const MAX_BYTES = 40_000;

/** The number of tries to change a connection that others change too. */
export const MAX_TRIES = 20;

/** The lifetime of a removed connection in milliseconds. */
const REMOVED_TTL = 60_000;

/** Reads and writes connections, each by compare-and-swap. */
export class TokenStore {
  readonly call: CallStore;
  readonly now: () => number;
  readonly #cipher: CookieCipher;

  constructor(
    store: SessionStore,
    secrets: readonly string[],
    now: () => number,
  ) {
    this.#cipher = new CookieCipher(secrets, undefined, TOKENS);
    this.call = storeCaller(store, STORE_TIMEOUT);
    this.now = now;
  }

  /** Reads a connection. */
  async read(key: string): Promise<Connection | null> {
    const found = await this.call("read", (store) => store.get(key));
    return found && await this.#open(key, found);
  }

  async #open(key: string, found: StoredValue): Promise<Connection | null> {
    const parsed = parse(found.value);
    if (parsed === null) return null;
    const { head, sealed } = parsed;
    // A secret that was removed ends the connections that it encrypted.
    const text = sealed && await this.#cipher.decrypt(key, sealed);
    const tokens = text ? JSON.parse(text) as StoredTokens : null;
    return { ...head, sealed, tokens, version: found.version };
  }

  /**
   * Stores a new connection, whatever was stored before.
   *
   * @returns The tokens that were stored before.
   * @throws {SessionStoreError} If the store refuses each write.
   */
  async create(
    key: string,
    created: NewConnection,
  ): Promise<StoredTokens | null> {
    const { tokens, ...head } = created;
    const now = this.now();
    const full = { ...head, generation: randomToken(), refreshedAt: now };
    const sealed = await this.#seal(key, tokens);
    for (let tries = 0; tries < MAX_TRIES; tries++) {
      const found = await this.call("read", (store) => store.get(key));
      if (await this.#put(key, full, sealed, found?.version ?? null)) {
        return (found && await this.#open(key, found))?.tokens ?? null;
      }
    }
    throw conflict("save");
  }

  /** Replaces the tokens, and frees the lease. */
  async replace(
    key: string,
    before: Connection,
    tokens: StoredTokens | null,
    head: Partial<Head> = {},
  ): Promise<boolean> {
    const sealed = tokens === null ? "" : await this.#seal(key, tokens);
    const now = this.now();
    const next = {
      ...headOf(before),
      generation: randomToken(),
      refreshedAt: now,
      lease: undefined,
      failures: 0,
      retryAt: 0,
      ...head,
    };
    return await this.#put(key, next, sealed, before.version);
  }

  /** Changes anything but the tokens. */
  async update(
    key: string,
    before: Connection,
    changes: Partial<Head>,
  ): Promise<boolean> {
    const head = { ...headOf(before), ...changes };
    return await this.#put(key, head, before.sealed, before.version);
  }

  /**
   * Removes a connection, and returns the last tokens that it had.
   *
   * @throws {SessionStoreError} If the store refuses each write.
   */
  async remove(
    key: string,
    accept: (found: Connection) => boolean = () => true,
  ): Promise<StoredTokens | null> {
    for (let tries = 0; tries < MAX_TRIES; tries++) {
      const found = await this.read(key);
      if (found === null || !accept(found)) return null;
      const options = { ttl: REMOVED_TTL, ifVersion: found.version };
      // By compare-and-swap, so that the tokens are those of the last refresh.
      const isRemoved = await this.call(
        "end",
        (store) => store.put(key, "removed", options),
      );
      if (isRemoved) return found.tokens ?? {};
    }
    throw conflict("end");
  }

  /** Returns the keys of connections with an index name. */
  async keysOf(name: string): Promise<readonly string[]> {
    return await this.call("list", (store) => store.byIndex?.(name) ?? []);
  }

  async #put(
    key: string,
    head: Head,
    sealed: string,
    ifVersion: string | null,
  ): Promise<boolean> {
    const ttl = Math.max(1, head.endsAt - this.now());
    const { index } = head;
    const value = `${JSON.stringify(head)} ${sealed}`;
    return await this.call(
      "save",
      (store) => store.put(key, value, { ttl, ifVersion, index }),
    );
  }

  async #seal(key: string, tokens: StoredTokens): Promise<string> {
    let text = JSON.stringify(tokens);
    if (sizeOf(text) > MAX_BYTES) {
      // Only a later check of a new ID token needs it.
      text = JSON.stringify({ ...tokens, idToken: undefined });
    }
    const size = sizeOf(text);
    if (size <= MAX_BYTES) return await this.#cipher.encrypt(key, text);
    throw new RangeError(
      `Cannot keep tokens: they take ${size} bytes, and at most ${MAX_BYTES} are allowed`,
    );
  }
}

/** Creates the error for a store that refuses each write. */
export function conflict(verb: string): SessionStoreError {
  const cause = new Error(`Other requests were faster ${MAX_TRIES} times`);
  return new SessionStoreError(verb, { cause });
}

function sizeOf(text: string): number {
  return new TextEncoder().encode(text).length;
}

function headOf(
  { version: _, sealed: __, tokens: ___, ...head }: Connection,
): Head {
  return head;
}

/** Parses a stored connection, or returns `null` for any other value. */
function parse(value: string): { head: Head; sealed: string } | null {
  const end = value.lastIndexOf(" ");
  try {
    const head = JSON.parse(value.slice(0, Math.max(0, end))) as Head;
    return { head, sealed: value.slice(end + 1) };
  } catch {
    return null;
  }
}
