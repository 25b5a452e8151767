import type { Grant } from "../../auth/internal.ts";
import { reportSecurityEvent } from "../../router/internal.ts";
import { type Call, done, type Outcome, refused } from "../actions/call.ts";
import { ownAccount } from "../current_account.ts";
import { isChecked } from "../definition/input_names.ts";

/** The maximum number of connected apps on a page. */
const PAGE_SIZE = 20;

/** A page of the connected apps of a user. */
export interface AppsPage {
  readonly apps: readonly Grant[];
  /** The id after which the next page begins; `undefined` on the last page. */
  readonly next: string | undefined;
}

/** Returns a page of the connected apps, those of one client next to each other. */
export async function listApps(
  { context, messages: { language }, services: { apps } }: Call,
): Promise<AppsPage> {
  const { id } = ownAccount(context);
  const all = byClient(await apps.list(id, { language }));
  const after = context.url.searchParams.get("after");
  // If the app was disconnected, this is the first page.
  const start = all.findIndex((app) => app.id === after) + 1;
  const end = start + PAGE_SIZE;
  const next = end < all.length ? all[end - 1]!.id : undefined;
  return { apps: all.slice(start, end), next };
}

/** Sorts grants by their clients. The client with the newest grant comes first. */
function byClient(grants: readonly Grant[]): Grant[] {
  return [...Map.groupBy(grants, ({ client }) => client.id).values()].flat();
}

/** Disconnects an app, or all of them. Removing access needs no recent login. */
export async function disconnect(call: Call): Promise<Outcome> {
  const { context, input, messages, services: { apps, routes } } = call;
  const { id: userId } = ownAccount(context);
  const id = input.get("id");
  const isNamed = typeof id === "string" && id !== "";
  if (!isNamed && !isChecked(input.get("all"))) {
    return refused(messages.apps.unknown, 404);
  }
  const count = await apps.revoke(userId, isNamed ? { id } : {});
  if (isNamed && count === 0) return refused(messages.apps.unknown, 404);
  if (count > 0) reportDisconnected(call, userId);
  return done(routes.apps.index.href(), messages.apps.disconnected);
}

/** Disconnects all apps of a user, at the end of all other access. */
export async function disconnectAll(call: Call, userId: string): Promise<void> {
  const count = await call.services.apps.revoke(userId);
  if (count > 0) reportDisconnected(call, userId);
}

function reportDisconnected({ context }: Call, userId: string): void {
  const reason = "oauth";
  reportSecurityEvent(context, { action: "key-revoke", reason, userId });
}
