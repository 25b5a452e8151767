import { encodeBase64Url, sha256Base64Url } from "../../session/secrets.ts";
import type { AuthenticatorData } from "./_authenticator_data.ts";
import type { Ceremony } from "./_challenges.ts";
import type { PasskeySettings } from "./options.ts";
import type { PasskeyFailureReason } from "./result.ts";

/** Checks the RP ID and the flags. Returns the first problem. */
export async function checkAuthenticatorData(
  { rpId }: PasskeySettings,
  { isConditional, userVerification }: Ceremony,
  authenticator: AuthenticatorData,
): Promise<PasskeyFailureReason | null> {
  // Section 7.1, step 14, and section 7.2, step 15.
  if (encodeBase64Url(authenticator.rpIdHash) !== await sha256Base64Url(rpId)) {
    return "rp_id_mismatch";
  }
  // Steps 15 and 16. The browser may create a passkey without the user.
  if (!authenticator.isUserPresent && isConditional !== true) {
    return "user_not_present";
  }
  // Steps 16 and 17.
  if (userVerification === "required" && !authenticator.isUserVerified) {
    return "user_not_verified";
  }
  // Steps 17 and 18.
  if (authenticator.backedUp && !authenticator.backupEligible) {
    return "backup_state_invalid";
  }
  return null;
}
