import type { OldRow } from "./_old_tables.ts";
import type { ImportedAccount } from "./imported_account.ts";

/** Returns the values of columns that the application has added. */
export type ExtendAccount = (
  row: Readonly<Record<string, unknown>>,
) => Partial<ImportedAccount> | Promise<Partial<ImportedAccount>>;

/** The usual names of the column with the hash of a password. */
const PASSWORD_COLUMNS = [
  "passwordHash",
  "hashedPassword",
  "encryptedPassword",
  "password",
];

/** The names of columns that may belong to a second factor. */
const FACTOR_COLUMN = /two_?factor|totp|mfa|otp|2fa/i;

/** Returns the hash of a password from one of the usual columns, or `""`. */
export function passwordOf(row: OldRow): string {
  for (const name of PASSWORD_COLUMNS) {
    const hash = row.text(name);
    if (hash !== null) return hash;
  }
  return "";
}

/**
 * Extends an account by the columns of the application. Without a function that
 * reads them, an account is refused if one of its columns may be a second factor.
 */
export async function extend(
  account: ImportedAccount,
  row: OldRow,
  own: ExtendAccount | undefined,
): Promise<ImportedAccount> {
  if (own !== undefined) return { ...account, ...await own(row.values) };
  const factor = Object.entries(row.values).find(([name, value]) =>
    FACTOR_COLUMN.test(name) && isSet(value)
  );
  return factor === undefined ? account : {
    ...account,
    refusal: `the column "${
      factor[0]
    }" may be a second factor: see the option extend`,
  };
}

function isSet(value: unknown): boolean {
  return ![null, undefined, "", 0, 0n, false, "false", "f", "0"].includes(
    value as null,
  );
}
