import { Session, userSessions } from "../../session/mod.ts";
import { disconnectAll } from "../apps/actions.ts";
import { ownAccount } from "../current_account.ts";
import { type Call, done, type Outcome, refused } from "./call.ts";

/** Returns the sessions of the user, for scripts. */
export async function listSessions(
  { context }: Call,
): Promise<{ readonly sessions: readonly object[] }> {
  const sessions = await userSessions(context).list();
  return {
    sessions: sessions.map(({ id, current, label, createdAt, seenAt }) => ({
      id,
      current,
      ...label,
      createdAt,
      seenAt,
    })),
  };
}

/**
 * Ends one session of the user, or all others. The end of all others disconnects all
 * apps too, because a thief may have connected one.
 */
export async function endSessions(call: Call): Promise<Outcome> {
  const { context, input, messages, services: { routes } } = call;
  const id = input.get("id");
  if (typeof id === "string" && id !== "") {
    if (!await userSessions(context).end(id)) {
      return refused(messages.sessionGone);
    }
  } else {
    await userSessions(context).endAll({ except: context.get(Session).id });
    await disconnectAll(call, ownAccount(context).id);
  }
  return done(routes.sessions.index.href(), messages.sessionsEnded);
}
