import {
  createOneTimeToken,
  readOneTimeToken,
  takeOneTimeToken,
} from "../../auth/internal.ts";
import { reportSecurityEvent } from "../../router/internal.ts";
import { endUserSessions } from "../../session/mod.ts";
import type { StoredAccount } from "../store/store.ts";
import { type Call, expired, type Outcome } from "./call.ts";
import type { Services } from "./services.ts";

const purpose = "account-not-me";

/** The lifetime of a link: owners do not read their mail every day. */
const LIFETIME = 7 * 86_400_000;

/**
 * Creates the token of a link that restores the address which an account had. It
 * does not end with the access, or a thief could make it worthless.
 */
export function createNotMeToken(
  { now, store }: Services,
  { email, id, version }: StoredAccount,
): Promise<string> {
  return createOneTimeToken(store.values, {
    purpose,
    // An account for each change: a link that is used ends only itself.
    account: JSON.stringify([id, version]),
    data: email,
    version,
    ttl: LIFETIME,
    now,
  });
}

/** The address that a link restores. */
interface Restoration {
  readonly account: StoredAccount;
  readonly email: string;
  /** The version of the account that had the address. */
  readonly since: number;
}

/** Returns the address that a link restores; `null` if it does not work. */
export async function restorationOf(
  services: Services,
  token: unknown,
): Promise<Restoration | null> {
  const { now, store } = services;
  const grant = await readOneTimeToken(store.values, { purpose, token, now });
  if (grant?.data === undefined || grant.version === undefined) return null;
  const [id] = JSON.parse(String(grant.account)) as [string];
  const account = await store.find(id);
  if (account === null) return null;
  const restored = await restoredVersions(services, id);
  // The notices to addresses that a thief has set.
  const isEnded = restored.some(([since, until]) =>
    since < grant.version! && grant.version! < until
  );
  return isEnded ? null : { account, email: grant.data, since: grant.version };
}

/** Restores the address of a link, removes the password and ends all access. */
export async function restoreAddress(call: Call): Promise<Outcome> {
  const { context, input, services } = call;
  const { now, store } = services;
  const token = input.get("token");
  const restoration = await restorationOf(services, token);
  if (restoration === null) return expired(call);
  const { account: { id, version }, email, since } = restoration;
  const next = await store.change(id, version, {
    email,
    emailVerified: true,
    passwordHash: "",
    removeWaysIn: true,
  });
  if (next === null) return expired(call);
  await endLaterLinks(services, id, [since, next]);
  await takeOneTimeToken(store.values, { purpose, token, now });
  await services.factors.remove(id);
  await endUserSessions(services.sessions, id, { version: next });
  reportSecurityEvent(context, {
    action: "password-change",
    reason: "not-me",
    userId: id,
  });
  const location = services.routes.reset.index.href();
  return { ok: true, next: "login", location, notice: "restored" };
}

/** The versions whose links have ended: after the first, before the last. */
type Ended = readonly [since: number, until: number];

/**
 * Ends the links of later changes. Otherwise a thief who has changed the address
 * twice could undo the restoration with the notice to the first one.
 */
async function endLaterLinks(
  services: Services,
  id: string,
  ended: Ended,
): Promise<void> {
  const { values } = services.store;
  for (let tries = 0; tries < 20; tries++) {
    const found = await values.get(keyOf(id));
    const all: Ended[] = found === null ? [] : JSON.parse(found.value);
    const value = JSON.stringify([...all, ended].slice(-50));
    const options = { ttl: LIFETIME, ifVersion: found?.version ?? null };
    if (await values.put(keyOf(id), value, options)) return;
  }
  throw new Error("Cannot end links: the entry always changes");
}

async function restoredVersions(
  { store: { values } }: Services,
  id: string,
): Promise<readonly Ended[]> {
  const found = await values.get(keyOf(id));
  return found === null ? [] : JSON.parse(found.value);
}

function keyOf(id: string): string {
  return `account-restored:${id}`;
}
