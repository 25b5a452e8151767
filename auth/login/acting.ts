import type { RequestContext } from "../../router/mod.ts";
import type { Session } from "../../session/mod.ts";
import { Actor } from "./user_keys.ts";

/** The stored state of a session whose user acts as another one. */
export interface Acting {
  readonly userId: string | number;
  readonly reason: string;
  readonly startedAt: number;
}

/** The key in the session. A login removes its value. */
export const ACTING_KEY = "__auth.acting";

/** Returns `true` if the user of a loaded session acts as another one. */
export function isActing(context: RequestContext, session: Session): boolean {
  return context.get(Actor) !== null || readActing(session) !== null;
}

/** Returns the stored state, or `null` if the user does not act. */
export function readActing(session: Session): Acting | null {
  const value = session.get(ACTING_KEY) as
    | [string | number, string, number]
    | undefined;
  if (value === undefined) return null;
  const [userId, reason, startedAt] = value;
  return { userId, reason, startedAt };
}
