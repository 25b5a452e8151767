import { revokeOneTimeTokens } from "@gatehouse/web/auth";
import type { RequestContext } from "@gatehouse/web/fetch-router";
import { sessions } from "@gatehouse/web/session";
import type { Services } from "./services.ts";

/** What one-time tokens that reset a password are made for. */
export const PASSWORD_RESET = "password-reset";

/**
 * Ends what somebody could have opened with the old password, but for API keys
 * and linked logins: programs and other ways in that their owner looks through.
 *
 * @param except The id of a session that goes on.
 */
export async function endAccess(
  { store, tokens }: Services,
  context: RequestContext,
  userId: number,
  except?: string,
): Promise<void> {
  // Sessions first: one that goes on could make another token.
  await sessions(context).endAll({ userId, except });
  await tokens.revokeAll(userId);
  await revokeOneTimeTokens(store, {
    purpose: PASSWORD_RESET,
    account: userId,
  });
}
