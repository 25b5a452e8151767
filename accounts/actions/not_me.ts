import {
  createOneTimeToken,
  readOneTimeToken,
  takeOneTimeToken,
} from "../../auth/internal.ts";
import { reportSecurityEvent } from "../../router/internal.ts";
import {
  STORE_TIMEOUT,
  storeCaller,
  ValueStore,
} from "../../session/internal.ts";
import { endUserSessions } from "../../session/mod.ts";
import type { AccountChange, StoredAccount } from "../store/store.ts";
import { type Call, expired, type Outcome } from "./call.ts";
import { removeWays } from "./passkey_store.ts";
import type { Services } from "./services.ts";

const purpose = "account-not-me";

/** The lifetime of a link: owners do not read their mail every day. */
const LIFETIME = 7 * 86_400_000;

/** The maximum number of ranges of versions whose links have ended. */
const MAX_RANGES = 50;

/** The change of an account that a link undoes. */
type Undo =
  /** The address that the account had. */
  | { readonly email: string }
  /** The time since which ways in are removed, in epoch milliseconds. */
  | { readonly added: number };

/** Creates the token of a link that restores the address of an account. */
export function createNotMeToken(
  services: Services,
  account: StoredAccount,
): Promise<string> {
  return createToken(services, account, { email: account.email });
}

/**
 * Creates the token of a link that removes a new way into an account, and those
 * that were added after it: a thief may have added several.
 *
 * @param added A time before the new one was added, in epoch milliseconds.
 */
export function createWayToken(
  services: Services,
  account: StoredAccount,
  added: number,
): Promise<string> {
  return createToken(services, account, { added });
}

/**
 * Creates a token. It survives the end of all access, because a thief could
 * otherwise make it worthless.
 */
function createToken(
  { now, store }: Services,
  { id, version }: StoredAccount,
  undo: Undo,
): Promise<string> {
  const data = JSON.stringify(undo);
  return createOneTimeToken(store.values, {
    purpose,
    // Each change has a separate name here, so a used link ends only itself.
    account: JSON.stringify([id, version, data]),
    data,
    version,
    ttl: LIFETIME,
    now,
  });
}

/** The change that a link undoes, and its account. */
export interface Restoration {
  readonly account: StoredAccount;
  readonly undo: Undo;
  /** The version of the account before the change. */
  readonly since: number;
}

/** Returns the change that a link undoes; `null` if it does not work. */
export async function restorationOf(
  services: Services,
  token: unknown,
): Promise<Restoration | null> {
  const { now, store } = services;
  const grant = await readOneTimeToken(store.values, { purpose, token, now });
  if (grant?.data === undefined || grant.version === undefined) return null;
  const { data, version: since } = grant;
  const [id] = JSON.parse(String(grant.account)) as [string];
  const account = await store.find(id);
  if (account === null) return null;
  const restored = await restoredVersions(services, id);
  // Links in emails to an address that a thief has set no longer work.
  const isEnded = restored.some(([first, last]) =>
    first < since && since < last
  );
  return isEnded ? null : { account, undo: JSON.parse(data), since };
}

/**
 * Undoes the change of a link: restores the address, or removes the ways in that
 * were added since then. It also removes the password and ends all sessions.
 */
export async function restoreAccount(call: Call): Promise<Outcome> {
  const { context, input, services } = call;
  const { now, store } = services;
  const token = input.get("token");
  const restoration = await restorationOf(services, token);
  if (restoration === null) return expired(call);
  const { account: { id, version }, since, undo } = restoration;
  const next = await store.change(id, version, changeOf(undo));
  if (next === null) return expired(call);
  if ("email" in undo) {
    await endLaterLinks(services, id, [since, next]);
    // A thief who changed the address may have set up an app as well.
    await services.factors.remove(id);
  } else await removeAdded(services, id, undo.added);
  await takeOneTimeToken(store.values, { purpose, token, now });
  await endUserSessions(services.sessions, id, { version: next });
  // The version has ended the grants, and this removes them.
  await services.apps.revoke(id);
  reportSecurityEvent(context, {
    action: "password-change",
    reason: "not-me",
    userId: id,
  });
  const location = services.routes.reset.index.href();
  return { ok: true, next: "login", location, notice: "restored" };
}

/** Removes the ways in, and the authenticator app, that were added since a time. */
async function removeAdded(
  { factors, store }: Services,
  accountId: string,
  time: number,
): Promise<void> {
  await removeWays(store, accountId, ({ createdAt }) => createdAt >= time);
  const { totpSince = 0 } = await factors.status(accountId);
  if (totpSince >= time) await factors.remove(accountId);
  else await factors.revoke(accountId);
}

/** Returns the change that ends the access of a thief. */
function changeOf(undo: Undo): AccountChange {
  return "email" in undo
    ? {
      email: undo.email,
      emailVerified: true,
      passwordHash: "",
      removeWaysIn: true,
    }
    : { passwordHash: "" };
}

/**
 * A range of versions whose links have ended: after the first, before the last.
 */
type Ended = readonly [first: number, last: number];

/**
 * Ends the links of later changes. Otherwise, a thief who changed the address
 * twice could undo the restoration with the email to the first one.
 */
async function endLaterLinks(
  services: Services,
  id: string,
  ended: Ended,
): Promise<void> {
  const ranges = rangesOf(services);
  const stored = await ranges.update(await ranges.key(id), (all) => {
    const value = [...all ?? [], ended].slice(-MAX_RANGES);
    return { value, result: true };
  });
  if (!stored) {
    throw new Error("Cannot end links: other requests change the entry");
  }
}

async function restoredVersions(
  services: Services,
  id: string,
): Promise<readonly Ended[]> {
  const ranges = rangesOf(services);
  return await ranges.get(await ranges.key(id)) ?? [];
}

function rangesOf({ store }: Services): ValueStore<readonly Ended[]> {
  return new ValueStore(storeCaller(store.values, STORE_TIMEOUT), {
    prefix: "account-restored",
    ttl: LIFETIME,
    // An entry that cannot be read throws, because links would work again.
    parse: (text) => JSON.parse(text),
  });
}
