import { encodeBase32 } from "../../auth/internal.ts";
import type { ImportedFactors } from "../../auth/second_factor/mod.ts";
import { parseJSON } from "../../session/internal.ts";
import type { JSONValue } from "../../session/mod.ts";
import type { SQLQuery } from "../../session/stores/sql.ts";
import type { Disabled } from "../store/store.ts";
import { toLogin } from "./_logins.ts";
import { type OldRow, OldTable, requireTable } from "./_old_tables.ts";
import { toPasskey } from "./_passkeys.ts";
import type { ImportedAccount, ImportedLogin } from "./imported_account.ts";

/** Options for {@linkcode readBetterAuth}. */
export interface BetterAuthOptions {
  /**
   * The SQL dialect.
   *
   * @default {"sqlite"}
   */
  readonly dialect?: "sqlite" | "postgres";
  /**
   * Decrypts a second factor, with `symmetricDecrypt` of `better-auth/crypto` and
   * the secret of better-auth. Without it, accounts with a second factor are not
   * imported.
   *
   * @default {undefined}
   */
  readonly decrypt?: (encrypted: string) => string | Promise<string>;
  /**
   * The issuers of providers, by their ids in better-auth. The reader knows those of
   * Google, GitHub and other large providers, and reads them from stored ID tokens.
   *
   * @default {no other issuers}
   */
  readonly issuers?: Readonly<Record<string, string>>;
  /**
   * Returns the application's fields of an account from its row, for columns that
   * you or plugins have added.
   *
   * @default {no values}
   */
  readonly fields?: (
    row: Readonly<Record<string, unknown>>,
  ) => Readonly<Record<string, JSONValue>>;
}

/** The tables of better-auth and its plugins, in any spelling. */
interface Tables {
  readonly users: OldTable;
  readonly accounts: OldTable;
  readonly factors: OldTable | null;
  readonly passkeys: OldTable | null;
}

type Read = Pick<ImportedAccount, "secondFactor" | "refusal">;

/**
 * Reads the accounts of better-auth from its tables: addresses, hashes of passwords,
 * linked logins, and, of its plugins, authenticator apps with recovery codes,
 * passkeys, roles and bans. It changes nothing.
 *
 * @example Reading an empty database
 * ```ts
 * import { assertRejects } from "@std/assert";
 * import { readBetterAuth } from "@gatehouse/web/accounts/migrate";
 *
 * const accounts = readBetterAuth(() => []);
 * await assertRejects(() => accounts.next(), TypeError, 'no table "user"');
 * ```
 *
 * @param query The function that runs a statement in the database of better-auth.
 * @param options The dialect, and the function that decrypts second factors.
 * @returns The accounts, for `importAccounts`.
 * @throws {TypeError} If a table or a column is missing.
 */
export async function* readBetterAuth(
  query: SQLQuery,
  options: BetterAuthOptions = {},
): AsyncGenerator<ImportedAccount, void, unknown> {
  const database = { query, dialect: options.dialect ?? "sqlite" };
  const tables: Tables = {
    users: await requireTable(database, "user", "users"),
    accounts: await requireTable(database, "account", "accounts"),
    factors: await OldTable.find(database, "twoFactor", "twoFactors"),
    passkeys: await OldTable.find(database, "passkey", "passkeys"),
  };
  for await (const row of tables.users.rows()) {
    yield await readAccount(tables, row, options);
  }
}

async function readAccount(
  { accounts, factors, passkeys, users }: Tables,
  row: OldRow,
  options: BetterAuthOptions,
): Promise<ImportedAccount> {
  const id = row.text("id") ?? "";
  const linked = await accounts.where("userId", id);
  const [password] = linked.filter((one) =>
    one.text("providerId") === "credential"
  );
  const read = [
    ...readLogins(linked, options.issuers ?? {}),
    ...(await passkeys?.where("userId", id) ?? []).map(toPasskey),
  ];
  const role = row.text("role");
  return {
    id,
    email: row.text("email"),
    emailVerified: row.flag("emailVerified"),
    name: row.text("name") ?? "",
    ...users.has("role") && role !== null && { role },
    ...options.fields && { fields: options.fields(row.values) },
    createdAt: row.time("createdAt") ?? 0,
    passwordHash: password?.text("password") ?? "",
    disabled: disabledOf(row),
    ...await readFactor(factors, row, options),
    logins: read.filter((one) => typeof one === "object" && "issuer" in one),
    passkeys: read.filter((one) =>
      typeof one === "object" && "publicKey" in one
    ),
    problems: read.filter((one) => typeof one === "string"),
  };
}

function readLogins(
  rows: readonly OldRow[],
  issuers: Readonly<Record<string, string>>,
): (ImportedLogin | string)[] {
  return rows.flatMap((row) => {
    const provider = row.text("providerId") ?? "";
    const subject = row.text("accountId") ?? "";
    return provider === "credential" || subject === ""
      ? []
      : [toLogin({ row, provider, subject }, issuers)];
  });
}

function disabledOf(row: OldRow): Disabled | null {
  return row.flag("banned")
    ? { reason: row.text("banReason") ?? "", until: row.time("banExpires") }
    : null;
}

/** Reads the second factor, or the reason why the account is not imported. */
async function readFactor(
  factors: OldTable | null,
  user: OldRow,
  { decrypt }: BetterAuthOptions,
): Promise<Read> {
  if (!user.flag("twoFactorEnabled")) return {};
  const rows = await factors?.where("userId", user.text("id") ?? "") ?? [];
  const [row] = rows;
  const secret = row?.text("secret") ?? null;
  if (row === undefined || secret === null) {
    return { refusal: "the second factor is missing" };
  }
  if (row.text("verified") !== null && !row.flag("verified")) {
    return { refusal: "the second factor is not an authenticator app" };
  }
  if (decrypt === undefined) {
    return { refusal: "the second factor needs the secret of better-auth" };
  }
  try {
    return { secondFactor: await decryptFactor(row, secret, decrypt) };
  } catch {
    return { refusal: "the secret of better-auth does not decrypt its factor" };
  }
}

/** The beginning of secrets that better-auth imported from another system. */
const BASE32 = "base32:";

async function decryptFactor(
  row: OldRow,
  encrypted: string,
  decrypt: (encrypted: string) => string | Promise<string>,
): Promise<ImportedFactors> {
  const text = await decrypt(encrypted);
  const secret = text.startsWith(BASE32)
    ? text.slice(BASE32.length)
    : encodeBase32(new TextEncoder().encode(text));
  const stored = row.text("backupCodes") ?? "[]";
  const codes = parseJSON(stored) ?? parseJSON(await decrypt(stored));
  if (!Array.isArray(codes)) throw new TypeError("The codes are not an array");
  return { secret, recoveryCodes: codes.map(String) };
}
