import {
  type JSONValue,
  type Session,
  SessionConflictError,
} from "../../session/mod.ts";
import { sha256Base64Url } from "../../session/secrets.ts";

/** A step that waits for the browser, such as a login at a provider. */
export interface PendingStep {
  /** The start of the step, in epoch milliseconds. */
  readonly startedAt: number;
  /** The user who began the step, which `addPendingStep` sets. */
  readonly user?: string | number | undefined;
}

/** The maximum number and size of the pending steps under one key. */
export interface PendingBounds {
  readonly count: number;
  readonly bytes: number;
}

/** Milliseconds until a pending step expires. */
const LIFETIME = 600_000;

/** Milliseconds by which the clocks of the application's servers may differ. */
const CLOCK_TOLERANCE = 30_000;

/** Matches the secret of a step: 32 random bytes. */
const SECRET = /^[\w-]{43}$/;

/** Returns `true` if the user took too long. */
export function isExpired({ startedAt }: PendingStep, now: number): boolean {
  const age = now - startedAt;
  return age < -CLOCK_TOLERANCE || age >= LIFETIME;
}

/** Returns the length of a string in UTF-8, in bytes. */
export function byteLength(value: string): number {
  return new TextEncoder().encode(value).length;
}

/** Adds a step to the session. `limit` returns those that stay, oldest first. */
export async function addPendingStep<Step extends PendingStep>(
  session: Session,
  key: string,
  { now, secret, step }: {
    readonly now: number;
    readonly secret: string;
    readonly step: Step;
  },
  limit: (steps: [string, Step][]) => [string, Step][],
): Promise<void> {
  const hash = await sha256Base64Url(secret);
  session.update(key, (value) => {
    const steps = Object.entries(toPending<Step>(value))
      .filter(([, other]) => !isExpired(other, now))
      .sort(([, a], [, b]) => a.startedAt - b.startedAt);
    steps.push([hash, { ...step, user: session.userId }]);
    return toJSON(Object.fromEntries(limit(steps)));
  });
}

/** Returns the newest steps. The argument has the oldest first. */
export function withinBounds<Step>(
  steps: [string, Step][],
  { bytes, count }: PendingBounds,
): [string, Step][] {
  const kept = steps.slice(-count);
  while (kept.length > 1 && byteLength(JSON.stringify(kept)) > bytes) {
    kept.shift();
  }
  return kept;
}

/**
 * Returns a step of the session, which stays there, or `null` if another user began
 * it.
 */
export async function findPendingStep<Step extends PendingStep>(
  session: Session,
  key: string,
  secret: string,
): Promise<Step | null> {
  const hash = await hashOf(secret);
  const steps = toPending<Step>(session.get(key));
  const step = Object.hasOwn(steps, hash) ? steps[hash]! : null;
  return step?.user === session.userId ? step : null;
}

/**
 * Changes a step of the session, which stays there. The store has saved this before
 * the function returns, so all of several requests with the same secret see the
 * change of the first one.
 *
 * @param change Changes the step. It must keep a step that was changed before.
 * @returns The changed step, or `null` if it is missing or another user began it.
 */
export async function changePendingStep<Step extends PendingStep>(
  session: Session,
  key: string,
  secret: string,
  change: (step: Step) => Step,
): Promise<Step | null> {
  if (await findPendingStep(session, key, secret) === null) return null;
  const hash = await hashOf(secret);
  let changed: Step | undefined;
  session.update(key, (value) => {
    // The function runs again after a conflict with another request, and the
    // last run counts.
    const steps = toPending<Step>(value);
    changed = Object.hasOwn(steps, hash) ? change(steps[hash]!) : undefined;
    return toJSON({ ...steps, ...changed && { [hash]: changed } });
  });
  try {
    await session.commit();
  } catch (error) {
    if (error instanceof SessionConflictError) return null;
    throw error;
  }
  return changed ?? null;
}

/**
 * Removes a step from the session and returns it. The store has saved this
 * before the function returns, so only one of several requests with the same
 * secret gets the step. The others get `null`, and so does a user who did not
 * begin the step: a session in cookies keeps steps in separate cookies, and a
 * late response can set one after the login of another user.
 */
export async function takePendingStep<Step extends PendingStep>(
  session: Session,
  key: string,
  secret: string,
): Promise<Step | null> {
  const hash = await hashOf(secret);
  if (!Object.hasOwn(toPending(session.get(key)), hash)) return null;
  let removed: Step | undefined;
  session.update(key, (value) => {
    // The function runs again after a conflict with another request, and the
    // last run counts.
    const { [hash]: found, ...others } = toPending<Step>(value);
    removed = found;
    return toJSON(others);
  });
  try {
    await session.commit();
  } catch (error) {
    if (error instanceof SessionConflictError) return null;
    throw error;
  }
  return removed?.user === session.userId ? removed ?? null : null;
}

/**
 * Returns the name of a step. It is a hash, so the time of the search reveals no other
 * secrets.
 */
async function hashOf(secret: string): Promise<string> {
  return SECRET.test(secret) ? await sha256Base64Url(secret) : "";
}

function toPending<Step>(
  value: JSONValue | undefined,
): Readonly<Record<string, Step>> {
  return typeof value === "object" && value !== null
    ? value as unknown as Readonly<Record<string, Step>>
    : {};
}

function toJSON(pending: unknown): JSONValue {
  return pending as JSONValue;
}
