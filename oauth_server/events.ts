import { reportSecurityEvent } from "../router/internal.ts";
import type { RequestContext } from "../router/mod.ts";
import type { SecurityReport } from "../router/middleware/mod.ts";
import { type GrantRow, publicId } from "./grants/grant_store.ts";
import type { GrantEvent } from "./options.ts";
import type { Settings } from "./settings.ts";

/** The reports to `securityEvents()`. The audit log of accounts records them too. */
const REPORTS: Partial<Record<GrantEvent["name"], SecurityReport>> = {
  "granted": { action: "key-create", reason: "oauth" },
  "revoked": { action: "key-revoke", reason: "oauth" },
  "token-reuse": {
    action: "token-reuse",
    outcome: "failure",
    reason: "refresh-token",
  },
  "code-reuse": { action: "token-reuse", outcome: "failure", reason: "code" },
};

/**
 * Reports an event, after its change was saved. It never throws.
 *
 * @param key The key of the grant, or `""` for a refusal.
 * @param context The context of the request, if there is one.
 */
export async function report(
  { onEvent }: Settings,
  name: GrantEvent["name"],
  { client, userId }: Pick<GrantRow, "client" | "userId">,
  key: string,
  context?: RequestContext,
): Promise<void> {
  const security = REPORTS[name];
  if (security !== undefined && context !== undefined) {
    reportSecurityEvent(context, { ...security, userId });
  }
  if (onEvent === undefined) return;
  const grant = key === "" ? "" : await publicId(key);
  try {
    onEvent({ name, userId, client: client.id, grant });
  } catch (error) {
    console.error(error);
  }
}
