import { parseJSON } from "../../session/internal.ts";
import { decodeBase64Url } from "../../session/secrets.ts";
import type { OldRow } from "./_old_tables.ts";
import type { ImportedLogin } from "./imported_account.ts";

/** The issuers of providers that have only one. */
const ISSUERS: Readonly<Record<string, string>> = {
  apple: "https://appleid.apple.com",
  facebook: "https://www.facebook.com",
  github: "https://github.com",
  gitlab: "https://gitlab.com",
  google: "https://accounts.google.com",
  linkedin: "https://www.linkedin.com/oauth",
  twitch: "https://id.twitch.tv/oauth2",
  twitter: "https://x.com",
  x: "https://x.com",
};

/** A row of a linked login, by the names of its columns in the other system. */
export interface LoginRow {
  readonly row: OldRow;
  readonly provider: string;
  readonly subject: string;
}

/** Returns a linked login, or the reason why it cannot be imported. */
export function toLogin(
  { provider, row, subject }: LoginRow,
  issuers: Readonly<Record<string, string>>,
): ImportedLogin | string {
  const name = provider === "twitter" ? "x" : provider;
  const issuer = (Object.hasOwn(issuers, provider) && issuers[provider]) ||
    issuerOfToken(row.text("idToken"), subject) ||
    (Object.hasOwn(ISSUERS, provider) && ISSUERS[provider]);
  if (!issuer) {
    return `the issuer of the provider "${provider}" is unknown: see the option issuers`;
  }
  // No login could have it, and only one account could be imported with it.
  if (subject === "") return `a login at "${provider}" has no subject`;
  return { provider: name, issuer, subject };
}

/**
 * Returns the issuer of a stored ID token, which the other system has verified. The
 * issuer of Microsoft differs between tenants, and only the token names it.
 */
function issuerOfToken(token: string | null, subject: string): string | null {
  const bytes = decodeBase64Url(token?.split(".")[1] ?? "");
  const claims = bytes && parseJSON(new TextDecoder().decode(bytes));
  const { iss, sub } = Object(claims);
  return typeof iss === "string" && sub === subject &&
      iss !== "accounts.google.com"
    ? iss
    : null;
}
