import type { Grant } from "../../auth/internal.ts";
import type { RequestContext } from "../../router/mod.ts";
import { ownAccount } from "../current_account.ts";
import { createWayToken } from "../actions/not_me.ts";
import type { Services } from "../actions/services.ts";
import { record } from "../admin/audit_log.ts";
import { appMail } from "../mails/contents.ts";

/**
 * Records a new connected app, and tells the owner by email: a thief may have
 * connected it.
 */
export async function tellOwner(
  services: Services,
  context: RequestContext,
  grant: Grant,
): Promise<void> {
  const account = ownAccount(context);
  const { id } = account;
  await record(services, {
    actorId: id,
    userId: id,
    action: "key-create",
    reason: "oauth",
  });
  // A known device of the address would have its own count, and the thief may have it.
  const { allowed } = await services.appThrottle.attempt(context, id);
  if (!allowed) return;
  const token = await createWayToken(services, account, grant.createdAt);
  // Only the host is proved: a client chooses its name. A device has no host, and
  // the application has chosen its name.
  const { client: { host: own, id: clientId, name }, redirectHost } = grant;
  const host = own ?? (redirectHost || name || clientId);
  services.outbox.add(
    context,
    appMail({ context, services }, account, host, token),
  );
}
