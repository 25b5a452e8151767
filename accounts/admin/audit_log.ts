import { withReceiver } from "../../router/internal.ts";
import type { Middleware } from "../../router/mod.ts";
import { newAccountId } from "../actions/registration.ts";
import type { Settings } from "../actions/services.ts";
import type { AuditEntry } from "../store/audit.ts";

/** The security events of users that the audit log records. */
const RECORDED: readonly string[] = [
  "password-change",
  "factor-add",
  "factor-remove",
  "key-create",
  "key-revoke",
  "data-export",
];

/** All actions of the audit log, for its filter. */
export const AUDIT_ACTIONS: readonly string[] = [
  "role",
  "disable",
  "enable",
  "end-access",
  "remove-factors",
  "remove",
  "invite",
  "invite-end",
  "act-start",
  "act-end",
  "act-refuse",
  "refused",
  ...RECORDED,
];

/** Stores an entry of the audit log. */
export async function record(
  { now, store }: Pick<Settings, "now" | "store">,
  entry: Omit<AuditEntry, "id" | "at">,
): Promise<void> {
  await store.audit.add({ ...entry, id: newAccountId(), at: now() });
}

/** Creates a middleware that records how users change their ways in. */
export function recordEvents(settings: Settings): Middleware<readonly []> {
  return async (context, next) => {
    const entries: Omit<AuditEntry, "id" | "at">[] = [];
    const response = await withReceiver(context, (report) => {
      const { action, outcome, reason = "", targetId, userId } = report;
      if (outcome === "failure" || userId === undefined) return;
      if (!RECORDED.includes(action)) return;
      const target = String(targetId ?? userId);
      entries.push({ actorId: String(userId), userId: target, action, reason });
    }, next);
    for (const entry of entries) {
      // The change has happened, so its response must not be an error.
      await record(settings, entry).catch((error) => console.error(error));
    }
    return response;
  };
}
