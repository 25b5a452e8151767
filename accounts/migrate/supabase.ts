import { OldRow } from "./_old_tables.ts";
import { toLogin } from "./_logins.ts";
import type { ImportedAccount } from "./imported_account.ts";

/** Options for {@linkcode readSupabase}. */
export interface SupabaseOptions {
  /**
   * The issuers of providers, by their ids in Supabase. The reader knows those of
   * Google, GitHub and other large providers.
   *
   * @default {no other issuers}
   */
  readonly issuers?: Readonly<Record<string, string>>;
  /**
   * Returns the time in epoch milliseconds.
   *
   * @default {Date.now}
   */
  readonly now?: () => number;
}

/** The providers of identities without an external login. */
const OWN_PROVIDERS = ["email", "phone"];

/**
 * Reads the users of Supabase from rows of `auth.users`, each with the arrays
 * `identities` and `mfa_factors` of its rows of `auth.identities` and
 * `auth.mfa_factors`. The hashes are bcrypt: `verifyPassword` needs `readBcrypt`.
 *
 * @example A user with a password
 * ```ts
 * import { assertEquals } from "@std/assert";
 * import { readSupabase } from "@gatehouse/web/accounts/migrate";
 *
 * const [account] = [...readSupabase([{
 *   id: "d4c3…",
 *   email: "ada@example.com",
 *   email_confirmed_at: "2024-01-31T12:00:00Z",
 *   encrypted_password: "$2a$10$…",
 *   created_at: "2024-01-31T12:00:00Z",
 *   identities: [],
 *   mfa_factors: [],
 * }])];
 * assertEquals(account?.emailVerified, true);
 * ```
 *
 * @param rows The rows.
 * @param options The issuers.
 * @returns The accounts, for `importAccounts`.
 */
export function* readSupabase(
  rows: Iterable<Readonly<Record<string, unknown>>>,
  options: SupabaseOptions = {},
): Generator<ImportedAccount, void, unknown> {
  const { issuers = {}, now = Date.now } = options;
  for (const values of rows) {
    const row = new OldRow(values);
    // Supabase keeps users that it has deleted.
    if (row.time("deleted_at") !== null || row.flag("is_anonymous")) continue;
    const logins = rowsOf(values.identities)
      .filter((one) => !OWN_PROVIDERS.includes(one.text("provider") ?? ""))
      .map((one) => loginOf(one, issuers));
    const { full_name, name } = Object(values.raw_user_meta_data);
    const until = row.time("banned_until");
    yield {
      id: row.text("id") ?? "",
      email: row.text("email"),
      emailVerified: row.time("email_confirmed_at") !== null,
      name: String(full_name ?? name ?? ""),
      createdAt: row.time("created_at") ?? 0,
      passwordHash: row.text("encrypted_password") ?? "",
      disabled: until !== null && until > now() ? { reason: "", until } : null,
      ...factorOf(rowsOf(values.mfa_factors)),
      logins: logins.filter((one) => typeof one === "object"),
      problems: logins.filter((one) => typeof one === "string"),
    };
  }
}

function rowsOf(values: unknown): OldRow[] {
  return Array.isArray(values)
    ? values.map((one) => new OldRow(Object(one)))
    : [];
}

function loginOf(row: OldRow, issuers: Readonly<Record<string, string>>) {
  const provider = row.text("provider") ?? "";
  const { iss, sub } = Object(row.values.identity_data);
  const subject = row.text("provider_id") ?? String(sub ?? "");
  const known = typeof iss === "string" && iss.startsWith("https://") &&
      !Object.hasOwn(issuers, provider)
    ? { ...issuers, [provider]: spelling(iss) }
    : issuers;
  return toLogin({ row, provider, subject }, known);
}

/** Returns the issuer of the metadata for Supabase's spelling of Google's. */
function spelling(issuer: string): string {
  return issuer.replace(/^(https:\/\/accounts\.google\.com)\/?$/, "$1")
    .replace(/^https:\/\/api\.github\.com$/, "https://github.com")
    .replace(/^https:\/\/api\.x\.com(?:\/.*)?$/, "https://x.com");
}

function factorOf(
  factors: readonly OldRow[],
): Pick<ImportedAccount, "secondFactor" | "refusal"> {
  const verified = factors.filter((one) => one.text("status") === "verified");
  if (verified.length === 0) return {};
  const app = verified.find((one) => one.text("factor_type") === "totp");
  const secret = app?.text("secret") ?? null;
  return secret === null
    ? { refusal: "the second factor is not an authenticator app" }
    : { secondFactor: { secret } };
}
