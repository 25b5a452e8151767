import { createMemorySessionStore } from "../../session/mod.ts";
import { MemoryTeamStore } from "./memory_teams.ts";
import { MemoryAuditStore } from "./memory_audit.ts";
import { checkOptions, FUNCTION } from "../option_checks.ts";
import { readCursor, toPage } from "./cursor.ts";
import type { AccountStore, StoredAccount, WayIn } from "./store.ts";

/** Options for {@linkcode createMemoryAccountStore}. */
export interface MemoryAccountStoreOptions {
  /**
   * Returns the time in epoch milliseconds.
   *
   * @default {Date.now}
   */
  readonly now?: () => number;
}

interface Entry {
  account: StoredAccount;
  passwordHash: string;
}

/**
 * Creates a store in the memory of this process, for tests. A restart removes all
 * accounts.
 *
 * @example A new account
 * ```ts
 * import { assertEquals } from "@std/assert";
 * import { createMemoryAccountStore } from "@gatehouse/web/accounts/store";
 *
 * const store = createMemoryAccountStore();
 * const account = await store.create({
 *   id: "a1",
 *   email: "ada@example.com",
 *   emailVerified: true,
 *   name: "Ada",
 *   role: "user",
 *   language: null,
 *   fields: {},
 *   passwordHash: "",
 *   createdAt: Date.now(),
 * });
 * assertEquals(account?.version, 1);
 * ```
 *
 * @param options The clock.
 * @returns The store.
 */
export function createMemoryAccountStore(
  { now = Date.now }: MemoryAccountStoreOptions = {},
): AccountStore {
  checkOptions("create account store", { now }, { now: FUNCTION });
  return new MemoryAccountStore(now);
}

class MemoryAccountStore implements AccountStore {
  readonly values;
  readonly audit = new MemoryAuditStore();
  readonly teams = new MemoryTeamStore((id) => this.#entries.get(id)?.account);
  readonly #entries = new Map<string, Entry>();
  readonly #ways = new Map<string, WayIn & { readonly version: number }>();
  readonly #secrets = new Map<string, string>();

  constructor(now: () => number) {
    this.values = createMemorySessionStore({ now });
  }

  migrate(): Promise<void> {
    return Promise.resolve();
  }

  find(id: string): Promise<StoredAccount | null> {
    return Promise.resolve(this.#entries.get(id)?.account ?? null);
  }

  findByEmail(email: string): Promise<StoredAccount | null> {
    return Promise.resolve(this.#byEmail(email)?.account ?? null);
  }

  findLogin(email: string) {
    const { account, passwordHash } = this.#byEmail(email) ?? {};
    return Promise.resolve(
      account === undefined
        ? null
        : { account, passwordHash: passwordHash ?? "" },
    );
  }

  async list(options: Parameters<AccountStore["list"]>[0] = {}) {
    const cursor = readCursor(options);
    if (cursor === null) return { accounts: [], next: undefined };
    const { after, limit } = cursor;
    const part = options.search?.toLowerCase() ?? "";
    const found = this.#sorted().filter((
      { createdAt, email, id, name, role },
    ) =>
      (after === undefined || createdAt > after.createdAt ||
        createdAt === after.createdAt && id > after.id) &&
      (options.role === undefined || role === options.role) &&
      (name.toLowerCase().includes(part) || email.includes(part))
    );
    return await Promise.resolve(toPage(found.slice(0, limit + 1), limit));
  }

  due(now: number): Promise<readonly StoredAccount[]> {
    const due = this.#sorted()
      .filter(({ deleteAt }) => deleteAt !== null && deleteAt <= now);
    return Promise.resolve(due.slice(0, 100));
  }

  create(
    { passwordHash, ...account }: Parameters<AccountStore["create"]>[0],
  ): Promise<StoredAccount | null> {
    if (this.#byEmail(account.email) !== undefined) {
      return Promise.resolve(null);
    }
    const stored: StoredAccount = {
      ...account,
      hasPassword: passwordHash !== "",
      version: 1,
      disabled: account.disabled ?? null,
      deleteAt: null,
    };
    this.#entries.set(account.id, { account: stored, passwordHash });
    return Promise.resolve(stored);
  }

  update(
    id: string,
    details: Parameters<AccountStore["update"]>[1],
  ): Promise<boolean> {
    const entry = this.#entries.get(id);
    if (entry === undefined) return Promise.resolve(false);
    const fields = { ...entry.account.fields, ...details.fields };
    entry.account = { ...entry.account, ...defined(details), fields };
    return Promise.resolve(true);
  }

  setRole(id: string, role: string, keep: string): Promise<boolean> {
    const entry = this.#entries.get(id);
    const isKept = this.#sorted().some((other) =>
      other.id !== id && other.role === keep && other.disabled === null &&
      other.deleteAt === null
    );
    if (entry === undefined || entry.account.role === keep && !isKept) {
      return Promise.resolve(false);
    }
    entry.account = { ...entry.account, role };
    return Promise.resolve(true);
  }

  change(
    id: string,
    version: number,
    change: Parameters<AccountStore["change"]>[2],
  ): Promise<number | null> {
    const entry = this.#entries.get(id);
    const { passwordHash, removeWaysIn, ...details } = change;
    const owner = details.email === undefined
      ? entry
      : this.#byEmail(details.email) ?? entry;
    if (entry?.account.version !== version || owner !== entry) {
      return Promise.resolve(null);
    }
    const next = version + 1;
    entry.passwordHash = passwordHash ?? entry.passwordHash;
    entry.account = {
      ...entry.account,
      ...defined(details),
      hasPassword: entry.passwordHash !== "",
      version: next,
    };
    if (removeWaysIn) {
      for (const way of this.#waysOf(id)) this.#ways.delete(keyOf(way));
    }
    return Promise.resolve(next);
  }

  verifyEmail(id: string, version: number, email: string): Promise<boolean> {
    const entry = this.#entries.get(id);
    const isSame = entry?.account.version === version &&
      entry.account.email === email;
    if (isSame) entry.account = { ...entry.account, emailVerified: true };
    return Promise.resolve(isSame);
  }

  rehash(id: string, before: string, after: string): Promise<boolean> {
    const entry = this.#entries.get(id);
    if (entry?.passwordHash !== before) return Promise.resolve(false);
    entry.passwordHash = after;
    return Promise.resolve(true);
  }

  remove(id: string, version: number): Promise<boolean> {
    if (this.#entries.get(id)?.account.version !== version) {
      return Promise.resolve(false);
    }
    this.#entries.delete(id);
    this.teams.removeUser(id);
    for (const way of this.#waysOf(id)) this.#ways.delete(keyOf(way));
    return Promise.resolve(true);
  }

  addWayIn(way: WayIn, version: number): Promise<boolean> {
    const isCurrent =
      this.#entries.get(way.accountId)?.account.version === version;
    if (!isCurrent || this.#ways.has(keyOf(way))) return Promise.resolve(false);
    this.#ways.set(keyOf(way), { ...way, version });
    return Promise.resolve(true);
  }

  findWayIn(kind: string, id: string) {
    const found = this.#ways.get(keyOf({ kind, id }));
    const account = found && this.#entries.get(found.accountId)?.account;
    return Promise.resolve(
      account === undefined ? null : { way: withoutVersion(found!), account },
    );
  }

  waysIn(accountId: string, kind?: string): Promise<readonly WayIn[]> {
    const ways = this.#waysOf(accountId)
      .filter((way) => kind === undefined || way.kind === kind)
      .sort((a, b) => a.createdAt - b.createdAt);
    return Promise.resolve(ways.map(withoutVersion));
  }

  useWayIn(
    kind: string,
    id: string,
    use: Parameters<AccountStore["useWayIn"]>[2],
    ifCounter: number,
  ): Promise<boolean> {
    const way = this.#ways.get(keyOf({ kind, id }));
    if (way?.counter !== ifCounter) return Promise.resolve(false);
    this.#ways.set(keyOf(way), { ...way, ...use });
    return Promise.resolve(true);
  }

  renameWayIn(
    way: Parameters<AccountStore["renameWayIn"]>[0],
    name: string,
  ): Promise<boolean> {
    const found = this.#ways.get(keyOf(way));
    if (found?.accountId !== way.accountId) return Promise.resolve(false);
    this.#ways.set(keyOf(way), { ...found, name });
    return Promise.resolve(true);
  }

  removeWayIn(
    way: Parameters<AccountStore["removeWayIn"]>[0],
  ): Promise<boolean> {
    const isOwn = this.#ways.get(keyOf(way))?.accountId === way.accountId;
    return Promise.resolve(isOwn && this.#ways.delete(keyOf(way)));
  }

  secret(name: string, value: string): Promise<string> {
    if (!this.#secrets.has(name)) this.#secrets.set(name, value);
    return Promise.resolve(this.#secrets.get(name)!);
  }

  #byEmail(email: string): Entry | undefined {
    return this.#entries.values()
      .find(({ account }) => account.email === email);
  }

  #sorted(): StoredAccount[] {
    return [...this.#entries.values()].map(({ account }) => account)
      .sort((a, b) => a.createdAt - b.createdAt || (a.id < b.id ? -1 : 1));
  }

  #waysOf(id: string) {
    return [...this.#ways.values()].filter((way) => way.accountId === id);
  }
}

function keyOf({ kind, id }: Pick<WayIn, "kind" | "id">): string {
  return JSON.stringify([kind, id]);
}

function withoutVersion(
  { version: _, ...way }: WayIn & { readonly version: number },
): WayIn {
  return way;
}

/** Returns the properties that have a value. */
function defined<Value extends object>(value: Value): Partial<Value> {
  return Object.fromEntries(
    Object.entries(value).filter(([, member]) => member !== undefined),
  ) as Partial<Value>;
}
