import {
  type CipherKind,
  SecretBox,
  STORE_TIMEOUT,
  storeCaller,
  ValueStore,
} from "../../session/internal.ts";
import { type SessionStore, SessionStoreError } from "../../session/mod.ts";
import { randomToken } from "../../session/secrets.ts";
import type { RefreshableTokens } from "../external/after_login/refresh.ts";

/** The part of a stored connection that is not encrypted. */
interface Head {
  /** An id that changes with each new set of tokens. */
  readonly generation: string;
  /** The time of the login, in epoch milliseconds. */
  readonly savedAt: number;
  /** The time of the last tokens, in epoch milliseconds. */
  readonly refreshedAt: number;
  /** The time at which the store removes the connection. */
  readonly endsAt: number;
  /** The names by which the store finds the connection. */
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
  /** The encrypted tokens. They stay the same if only the head changes. */
  readonly sealed: string;
  /** The tokens, or `null` if the provider has ended the connection. */
  readonly tokens: StoredTokens | null;
}

/** A connection, and its version in the store. */
export interface FoundConnection extends Connection {
  readonly version: string;
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

/** Reads and writes connections, each by compare-and-swap. */
export class TokenStore {
  readonly now: () => number;
  readonly #cipher: SecretBox;
  readonly #connections: ValueStore<Connection>;

  constructor(
    store: SessionStore,
    secrets: readonly string[],
    now: () => number,
  ) {
    this.now = now;
    this.#cipher = new SecretBox(secrets, undefined, TOKENS);
    this.#connections = new ValueStore(storeCaller(store, STORE_TIMEOUT), {
      prefix: "tokens",
      ttl: ({ endsAt }) => endsAt - now(),
      index: ({ index }) => index,
      print: (connection) =>
        `${JSON.stringify(headOf(connection))} ${connection.sealed}`,
      parse: (text, key) => this.#parse(text, key),
    });
  }

  /** Reads a connection. */
  async read(key: string): Promise<FoundConnection | null> {
    const found = await this.#connections.read(key);
    return found?.value ? { ...found.value, version: found.version } : null;
  }

  /** Reads a stored connection; `null` for any other value. */
  async #parse(text: string, key: string): Promise<Connection | null> {
    const end = text.lastIndexOf(" ");
    let head: Head;
    try {
      head = JSON.parse(text.slice(0, Math.max(0, end)));
    } catch {
      return null;
    }
    const sealed = text.slice(end + 1);
    // If a secret is removed, the connections that it encrypted end.
    const json = sealed && await this.#cipher.decrypt(key, sealed);
    return { ...head, sealed, tokens: json ? JSON.parse(json) : null };
  }

  /**
   * Stores a new connection, and replaces any earlier one.
   *
   * @returns The tokens that were stored before.
   * @throws {SessionStoreError} If the store refuses each write.
   */
  async create(
    key: string,
    { tokens, ...head }: NewConnection,
  ): Promise<StoredTokens | null> {
    const value: Connection = {
      ...head,
      ...this.#renewed(),
      sealed: await this.#seal(key, tokens),
      tokens,
    };
    const before = await this.#connections.update(
      key,
      (before) => ({ value, result: before?.tokens ?? null }),
    );
    if (before === undefined) throw conflict("save");
    return before;
  }

  /** Replaces the tokens, and frees the lease. */
  async replace(
    key: string,
    { version, ...before }: FoundConnection,
    tokens: StoredTokens,
    head: Partial<Head> = {},
  ): Promise<boolean> {
    const next = {
      ...before,
      ...this.#renewed(),
      ...head,
      sealed: await this.#seal(key, tokens),
      tokens,
    };
    return await this.#connections.replace(key, next, version);
  }

  /**
   * Ends a connection unless another request has replaced its tokens. See
   * `updateWhile`.
   */
  async end(key: string, before: Connection): Promise<Connection | null> {
    const ended = { ...this.#renewed(), sealed: "", tokens: null };
    return await this.updateWhile(key, before, () => ended);
  }

  /** Returns the head of new tokens, without a lease. */
  #renewed() {
    const refreshedAt = this.now();
    const generation = randomToken();
    return {
      generation,
      refreshedAt,
      lease: undefined,
      failures: 0,
      retryAt: 0,
    };
  }

  /** Changes anything but the tokens, unless another request won the race. */
  async update(
    key: string,
    { version, ...before }: FoundConnection,
    changes: Partial<Head>,
  ): Promise<boolean> {
    return await this.#connections
      .replace(key, { ...before, ...changes }, version);
  }

  /**
   * Changes a connection, unless another request has replaced its tokens.
   *
   * @returns The connection that was found last; `null` if it is missing.
   */
  async updateWhile(
    key: string,
    { generation }: Connection,
    change: (found: Connection) => Partial<Connection>,
  ): Promise<Connection | null> {
    let found: Connection | null = null;
    await this.#connections.update(key, (value) => {
      found = value;
      return value?.generation === generation
        ? { value: { ...value, ...change(value) }, result: true }
        : null;
    });
    return found;
  }

  /**
   * Removes a connection, and returns the last tokens that it had.
   *
   * @throws {SessionStoreError} If the store refuses each write.
   */
  async remove(
    key: string,
    accept?: (found: Connection) => boolean,
  ): Promise<StoredTokens | null> {
    // Compare-and-swap makes sure that the tokens are those of the last
    // refresh.
    const taken = await this.#connections.take(key, accept);
    if (taken === undefined) throw conflict("end");
    return taken && (taken.tokens ?? {});
  }

  /** Returns the keys of connections with an index name. */
  async keysOf(name: string): Promise<readonly string[]> {
    return await this.#connections.keysOf(name);
  }

  async #seal(key: string, tokens: StoredTokens): Promise<string> {
    let text = JSON.stringify(tokens);
    if (sizeOf(text) > MAX_BYTES) {
      // Only a later check of a new ID token needs the old one.
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
  const cause = new Error("Other requests were faster each time");
  return new SessionStoreError(verb, { cause });
}

function sizeOf(text: string): number {
  return new TextEncoder().encode(text).length;
}

function headOf({ sealed: _, tokens: __, ...head }: Connection): Head {
  return head;
}
