import { decodeBase64Url } from "../../session/secrets.ts";
import type { OldRow } from "./_old_tables.ts";
import type { ImportedAccount } from "./imported_account.ts";

/** A passkey of another system. */
export type ImportedPasskey = NonNullable<ImportedAccount["passkeys"]>[number];

/**
 * Returns a passkey of a table with the columns of SimpleWebAuthn, or the reason why
 * it cannot be imported. Such tables do not have the user handle.
 */
export function toPasskey(row: OldRow): ImportedPasskey | string {
  const id = toBase64Url(row.text("credentialID") ?? "");
  const publicKey = toBase64Url(
    row.text("publicKey") ?? row.text("credentialPublicKey") ?? "",
  );
  if (!/^[\w-]{1,1364}$/.test(id) || !decodeBase64Url(publicKey)?.length) {
    return "a passkey is malformed";
  }
  const counter = Number(row.text("counter") ?? 0);
  const transports = row.text("transports") ?? "";
  return {
    id,
    publicKey,
    userHandle: "",
    counter: Number.isSafeInteger(counter) && counter >= 0 ? counter : 0,
    transports: transports.split(",").filter((one) => /^[\w-]+$/.test(one)),
    backupEligible: /^multi_?device$/i.test(
      row.text("deviceType") ?? row.text("credentialDeviceType") ?? "",
    ),
    backedUp: row.flag("backedUp") || row.flag("credentialBackedUp"),
    aaguid: row.text("aaguid") ?? "00000000-0000-0000-0000-000000000000",
    name: row.text("name") ?? "Passkey",
    createdAt: row.time("createdAt") ?? 0,
    usedAt: null,
  };
}

/** Rewrites base64 as base64url without padding. */
function toBase64Url(text: string): string {
  return text.replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "");
}
