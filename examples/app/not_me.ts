import {
  createOneTimeToken,
  type readOneTimeToken,
  type takeOneTimeToken,
} from "@gatehouse/web/auth";
import type { RequestContext } from "@gatehouse/web/fetch-router";
import type { Identity } from "./data/identities.ts";
import type { User } from "./data/users.ts";
import { newWayInMail } from "./mails.ts";
import { sendMail } from "./outbox.ts";
import type { Services } from "./services.ts";

/** A way into an account that an emailed link removes. */
export type WayIn =
  /** An authenticator app, by the time of its set-up. */
  | { readonly kind: "app"; readonly since: number }
  | {
    readonly kind: "passkey" | "API key" | "access token";
    readonly id: string;
  }
  | { readonly kind: "linked login"; readonly identity: Identity }
  /** A new address, by the one that it has replaced, and the time. */
  | {
    readonly kind: "address";
    readonly email: string;
    readonly since: number;
  };

/** The way in that a link removes, and its account. */
export interface NotMe {
  readonly userId: number;
  readonly way: WayIn;
  /** The access version of the account when the way in was added. */
  readonly version: number;
}

const purpose = "not-me";

/** The longest lifetime of a link: owners do not read their mail every day. */
const LIFETIME = 7 * 86_400_000;

/**
 * Creates the token of a link "this was not me". It does not end with the access
 * to the account, or a thief could make it worthless.
 */
export function createNotMeToken(
  { store, now }: Services,
  { accessVersion: version, id }: User,
  way: WayIn,
): Promise<string> {
  // An account for each way: a link that is used ends only itself.
  const account = JSON.stringify([id, way]);
  const options = { purpose, account, version, ttl: LIFETIME, now };
  return createOneTimeToken(store, options);
}

/**
 * Ends the links that were sent to an address which its account should not have
 * had: those of a later access version than the one of the link that restores
 * the earlier address. Otherwise a thief who has changed the address twice could
 * undo the restoration by the notice to the first one.
 */
export async function endLaterLinks(
  { store }: Services,
  { accessVersion, id }: User,
  { version }: NotMe,
): Promise<void> {
  const key = endedKey(id);
  for (let tries = 0; tries < 20; tries++) {
    const found = await store.get(key);
    const all: Ended[] = found === null ? [] : JSON.parse(found.value);
    const value = JSON.stringify([...all, [version, accessVersion]].slice(-50));
    const options = { ttl: LIFETIME, ifVersion: found?.version ?? null };
    if (await store.put(key, value, options)) return;
  }
  throw new Error("Cannot end links: the entry always changes");
}

/** Returns `true` if a link of an earlier address has ended this one. */
export async function isEnded(
  { store }: Services,
  { userId, version }: NotMe,
): Promise<boolean> {
  const found = await store.get(endedKey(userId));
  const all: Ended[] = found === null ? [] : JSON.parse(found.value);
  return all.some(([after, last]) => after < version && version <= last);
}

/** The access versions whose links have ended: after the first, to the last. */
type Ended = readonly [after: number, last: number];

function endedKey(userId: number): string {
  return `not-me-ended:${userId}`;
}

/**
 * Reads a link, and uses it up if `use` is `takeOneTimeToken`: `null` if it does not
 * work.
 */
export async function findNotMe(
  services: Services,
  token: unknown,
  use: typeof readOneTimeToken | typeof takeOneTimeToken,
): Promise<NotMe | null> {
  const { store, now } = services;
  const grant = await use(store, { purpose, token, now });
  if (grant?.version === undefined) return null;
  const [userId, way] = JSON.parse(String(grant.account));
  const link = { userId, way, version: grant.version };
  return await isEnded(services, link) ? null : link;
}

/** Tells an owner about a new way into the account, with a link against it. */
export async function tellOfNewWayIn(
  context: RequestContext,
  services: Services,
  user: User,
  way: WayIn,
  change: string,
): Promise<void> {
  const { email } = user;
  if (email === null) return;
  const token = await createNotMeToken(services, user, way);
  sendMail(context, newWayInMail(services, email, { change, token }));
}
