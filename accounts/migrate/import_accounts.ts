import { canonicalName } from "../../auth/internal.ts";
import { importFactors } from "../../auth/second_factor/mod.ts";
import { randomToken } from "../../session/secrets.ts";
import { isAddress } from "../actions/address.ts";
import { addIdentity, IDENTITY, identityId } from "../actions/identity.ts";
import { createPasskeyStore } from "../actions/passkey_store.ts";
import { DEFAULT_ROLES } from "../actions/roles.ts";
import type { AccountStore, StoredAccount } from "../store/store.ts";
import type {
  ImportedAccount,
  ImportProblem,
  ImportReport,
} from "./imported_account.ts";

/** Options for {@linkcode importAccounts}. */
export interface ImportAccountsOptions {
  /** The store that `createAccounts` gets. */
  readonly store: AccountStore;
  /**
   * The `secrets` that `createAccounts` gets. They encrypt second factors.
   *
   * @default {one that the store keeps, as in createAccounts}
   */
  readonly secrets?: readonly string[];
  /**
   * The roles of the application, the one of new accounts first.
   *
   * @default {["user", "admin"]}
   */
  readonly roles?: readonly string[];
  /**
   * Returns the time in epoch milliseconds.
   *
   * @default {Date.now}
   */
  readonly now?: () => number;
}

type Counts = {
  -readonly [Name in Exclude<keyof ImportReport, "problems">]: number;
};

/** The longest id and name, in characters. */
const MAX_LENGTH = 200;

/** The problem of an address that an account of another id has. */
const TAKEN = "another account has the address";

/**
 * Imports the accounts of another system: their ids, addresses, hashes of
 * passwords, authenticator apps, recovery codes, passkeys and logins at providers.
 *
 * Run it first with `createMemoryAccountStore()`, and read the report. It can run
 * again, also after it was interrupted, and while the old system still runs: it
 * adds new accounts. It never changes an account whose owner or administrator has
 * changed a way in since the import, so that a removed passkey stays removed.
 *
 * The second factor of an account is stored before the account. If it cannot be
 * read, the account is not imported.
 *
 * @example Importing one account
 * ```ts
 * import { assertEquals } from "@std/assert";
 * import { importAccounts } from "@gatehouse/web/accounts/migrate";
 * import { createMemoryAccountStore } from "@gatehouse/web/accounts/store";
 *
 * const store = createMemoryAccountStore();
 * const report = await importAccounts([{
 *   id: "7",
 *   email: "ada@example.com",
 *   emailVerified: true,
 *   name: "Ada",
 *   createdAt: Date.parse("2024-01-31"),
 *   passwordHash: "$2b$04$abcdefghijklmnopqrstuuPp7HPfoAs8I2dCQCQ/fW7zEJv8I8C8e",
 * }], { store });
 *
 * assertEquals(report.created, 1);
 * assertEquals((await store.findByEmail("ada@example.com"))?.id, "7");
 * ```
 *
 * @param accounts The accounts, for example of `readBetterAuth`.
 * @param options The store and the secrets.
 * @returns The report.
 * @throws {AccountStoreError} If the database is unavailable. The next import
 * continues.
 */
export async function importAccounts(
  accounts: Iterable<ImportedAccount> | AsyncIterable<ImportedAccount>,
  options: ImportAccountsOptions,
): Promise<ImportReport> {
  const { now = Date.now, store } = options;
  const secrets = options.secrets ??
    [await store.secret("secret", randomToken())];
  const factors = { store: store.values, secrets, now };
  const run = new Import(store, factors, options.roles ?? DEFAULT_ROLES);
  for await (const account of accounts) await run.add(account);
  return { ...run.counts, problems: run.problems };
}

/** An import that runs. */
class Import {
  readonly counts: Counts = {
    read: 0,
    created: 0,
    existing: 0,
    refused: 0,
    passwords: 0,
    secondFactors: 0,
    passkeys: 0,
    logins: 0,
  };
  readonly problems: ImportProblem[] = [];
  readonly #store: AccountStore;
  readonly #factors: Parameters<typeof importFactors>[2];
  readonly #roles: readonly string[];

  constructor(
    store: AccountStore,
    factors: Parameters<typeof importFactors>[2],
    roles: readonly string[],
  ) {
    this.#store = store;
    this.#factors = factors;
    this.#roles = roles;
  }

  async add(account: ImportedAccount): Promise<void> {
    this.counts.read++;
    const { id, refusal = null } = account;
    const email = canonicalName(account.email ?? "");
    const existing = await this.#store.find(id);
    // The owner may have removed what the other system still has.
    if (existing !== null && existing.version !== 1) {
      this.counts.existing++;
      return;
    }
    const reason = refusal ?? await this.#refusalOf(id, email) ??
      await this.#addFactor(account);
    if (reason !== null) return this.#refuse(id, reason);
    const stored = existing ?? await this.#create(account, email);
    if (stored === null) return this.#refuse(id, TAKEN);
    if (existing !== null) this.counts.existing++;
    await this.#addWaysIn(account, email);
    // The old system has blocked the account later. An interrupted import must find
    // the version 1 again, so this comes last.
    if (account.disabled && stored.disabled === null) {
      await this.#store.change(id, 1, { disabled: account.disabled });
    }
  }

  #refuse(id: string, problem: string): void {
    this.counts.refused++;
    this.#report(id, problem);
  }

  #report(id: string, problem: string): void {
    this.problems.push({ id: id.slice(0, MAX_LENGTH), problem });
  }

  async #refusalOf(id: string, email: string): Promise<string | null> {
    if (id === "" || id.length > MAX_LENGTH) {
      return `the id is not 1 to ${MAX_LENGTH} characters`;
    }
    if (email === "") return "the account has no address";
    if (!isAddress(email)) return "the address is malformed";
    const owner = await this.#store.findByEmail(email);
    return owner !== null && owner.id !== id ? TAKEN : null;
  }

  /** Stores the second factor, or returns the reason why it cannot. */
  async #addFactor(
    { id, secondFactor = null }: ImportedAccount,
  ): Promise<string | null> {
    if (secondFactor === null) return null;
    try {
      const isNew = await importFactors(id, secondFactor, this.#factors);
      if (isNew) this.counts.secondFactors++;
      return null;
    } catch (error) {
      if (error instanceof TypeError) return "the second factor is malformed";
      throw error;
    }
  }

  async #create(
    account: ImportedAccount,
    email: string,
  ): Promise<StoredAccount | null> {
    const { createdAt, fields = {}, id, language = null, name = "" } = account;
    const { passwordHash = "", role = this.#roles[0]! } = account;
    const isRole = this.#roles.includes(role);
    const created = await this.#store.create({
      id,
      email,
      emailVerified: account.emailVerified === true,
      name: name.slice(0, MAX_LENGTH),
      role: isRole ? role : this.#roles[0]!,
      language,
      fields,
      createdAt,
      passwordHash,
      disabled: account.disabled ?? null,
    });
    if (created === null) return null;
    this.counts.created++;
    if (passwordHash !== "") this.counts.passwords++;
    if (!isRole) this.#report(id, "the role is not one of the application");
    return created;
  }

  async #addWaysIn(
    account: ImportedAccount,
    email: string,
  ): Promise<void> {
    const { id, passkeys = [], problems = [] } = account;
    const store = createPasskeyStore(this.#store);
    for (const passkey of passkeys) {
      const isNew = await store.create({ ...passkey, userId: id }, 1);
      if (isNew) this.counts.passkeys++;
      else if ((await store.get(passkey.id))?.userId !== id) {
        this.#report(id, "another account has a passkey with the same id");
      }
    }
    await this.#addLogins(account, email);
    for (const problem of problems) this.#report(id, problem);
  }

  async #addLogins(
    { createdAt, id, logins = [] }: ImportedAccount,
    email: string,
  ): Promise<void> {
    const services = { now: () => createdAt, store: this.#store };
    for (const { name = email, ...login } of logins) {
      const identity = { ...login, name };
      const key = identityId(identity);
      const isNew = await addIdentity(services, { id, version: 1 }, identity);
      if (isNew) this.counts.logins++;
      else if (
        (await this.#store.findWayIn(IDENTITY, key))?.account.id !== id
      ) {
        this.#report(id, `another account has the login at ${login.provider}`);
      }
    }
  }
}
