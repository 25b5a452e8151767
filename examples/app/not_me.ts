import {
  createOneTimeToken,
  readOneTimeToken,
  takeOneTimeToken,
} from "@gatehouse/web/auth";
import type { Identity } from "./data/identities.ts";
import type { User } from "./data/users.ts";
import { newWayInMail } from "./mails.ts";
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
  /** A new address, by the one that it has replaced. */
  | { readonly kind: "address"; readonly email: string };

const purpose = "not-me";

/** The longest lifetime of a link: owners do not read their mail every day. */
const LIFETIME = 7 * 86_400_000;

/**
 * Creates the token of a link "this was not me". It does not end with the access
 * to the account, or a thief could make it worthless.
 */
export function createNotMeToken(
  { store, now }: Services,
  userId: number,
  way: WayIn,
): Promise<string> {
  // An account for each way: a link that is used ends only itself.
  const account = JSON.stringify([userId, way]);
  return createOneTimeToken(store, { purpose, account, ttl: LIFETIME, now });
}

/** Reads the link without using it up: `null` if it does not work. */
export async function readNotMe(
  { store, now }: Services,
  token: unknown,
): Promise<WayIn | null> {
  const grant = await readOneTimeToken(store, { purpose, token, now });
  return grant === null ? null : toWayIn(grant.account)[1];
}

/** Uses the link up: `null` if it does not work. */
export async function takeNotMe(
  { store, now }: Services,
  token: unknown,
): Promise<readonly [userId: number, way: WayIn] | null> {
  const grant = await takeOneTimeToken(store, { purpose, token, now });
  return grant === null ? null : toWayIn(grant.account);
}

function toWayIn(account: string | number): readonly [number, WayIn] {
  return JSON.parse(String(account));
}

/** Tells an owner about a new way into the account, with a link against it. */
export async function tellOfNewWayIn(
  services: Services,
  { email, id }: User,
  way: WayIn,
  change: string,
): Promise<void> {
  if (email === null) return;
  const token = await createNotMeToken(services, id, way);
  services.sendMail(newWayInMail(services, email, { change, token }));
}
