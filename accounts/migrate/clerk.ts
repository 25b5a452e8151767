import { parseCSV } from "./_csv.ts";
import { toLogin } from "./_logins.ts";
import { OldRow } from "./_old_tables.ts";
import type { ImportedAccount } from "./imported_account.ts";

/** Options for {@linkcode readClerk}. */
export interface ClerkOptions {
  /**
   * The users as Clerk's Backend API lists them. The export contains neither linked
   * logins nor blocks, and no times of registrations.
   *
   * @default {[]}
   */
  readonly users?: Iterable<unknown>;
  /**
   * The issuers of providers, by their ids in Clerk without `oauth_`. The reader knows
   * those of Google, GitHub and other large providers.
   *
   * @default {no other issuers}
   */
  readonly issuers?: Readonly<Record<string, string>>;
}

/**
 * Reads the users of Clerk from the CSV file of its dashboard. The hashes are
 * bcrypt: `verifyPassword` needs `readBcrypt`.
 *
 * @example A file with one user
 * ```ts
 * import { assertEquals } from "@std/assert";
 * import { readClerk } from "@gatehouse/web/accounts/migrate";
 *
 * const [account] = [...readClerk(`id,first_name,primary_email_address
 * user_1,Ada,ada@example.com`)];
 * assertEquals([account?.id, account?.name], ["user_1", "Ada"]);
 * ```
 *
 * @param csv The content of the file.
 * @param options The users of the API.
 * @returns The accounts, for `importAccounts`.
 * @throws {TypeError} If the file is not the export of Clerk.
 */
export function* readClerk(
  csv: string,
  options: ClerkOptions = {},
): Generator<ImportedAccount, void, unknown> {
  const users = new Map<string, OldRow>();
  for (const user of options.users ?? []) {
    const row = new OldRow(Object(user));
    users.set(row.text("id") ?? "", row);
  }
  const rows = parseCSV(csv);
  for (const values of rows) {
    if (!Object.hasOwn(values, "primary_email_address")) {
      throw new TypeError(
        'Cannot read the export of Clerk: it has no column "primary_email_address"',
      );
    }
    const row = new OldRow(values);
    yield toAccount(row, users.get(row.text("id") ?? ""), options);
  }
}

function toAccount(
  row: OldRow,
  user: OldRow | undefined,
  { issuers = {} }: ClerkOptions,
): ImportedAccount {
  const email = row.text("primary_email_address") || null;
  const verified = (row.text("verified_email_addresses") ?? "").split(
    /[|,;\s]+/,
  );
  const external = user?.values.external_accounts;
  const logins = (Array.isArray(external) ? external : [])
    .map((one) => loginOf(new OldRow(Object(one)), issuers));
  const hasPassword = row.text("password_hasher") !== "" ||
    row.text("password_digest") !== "";
  return {
    id: row.text("id") ?? "",
    email,
    emailVerified: email !== null && verified.includes(email),
    name: [row.text("first_name"), row.text("last_name")].filter(Boolean)
      .join(" "),
    createdAt: user?.time("created_at") ?? 0,
    passwordHash: hasPassword ? row.text("password_digest") ?? "" : "",
    disabled: user?.flag("banned") || user?.flag("locked")
      ? { reason: "", until: null }
      : null,
    ...factorOf(row, user),
    logins: logins.filter((one) => typeof one === "object"),
    problems: logins.filter((one) => typeof one === "string"),
  };
}

function factorOf(
  row: OldRow,
  user: OldRow | undefined,
): Pick<ImportedAccount, "secondFactor" | "refusal"> {
  const secret = row.text("totp_secret") ?? "";
  if (secret !== "") return { secondFactor: { secret } };
  return user?.flag("two_factor_enabled")
    ? { refusal: "the second factor is not in the export" }
    : {};
}

function loginOf(row: OldRow, issuers: Readonly<Record<string, string>>) {
  const provider = (row.text("provider") ?? "").replace(/^oauth_/, "");
  const subject = row.text("provider_user_id") ?? "";
  return toLogin({ row, provider, subject }, issuers);
}
