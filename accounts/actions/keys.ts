import { reportSecurityEvent } from "../../router/internal.ts";
import { KEY, MAX_KEYS, type StoredKey } from "../keys/api_keys.ts";
import { newWayMail } from "../mails/contents.ts";
import type { StoredMember } from "../store/teams.ts";
import { Form } from "./form.ts";
import { ended } from "./account.ts";
import { type Call, done, invalid, type Outcome, refused } from "./call.ts";
import { ownAccount } from "../current_account.ts";
import { scopeInputOf } from "../definition/input_names.ts";
import { createWayToken } from "./not_me.ts";

/** The lifetimes of keys that the page offers, in days. */
export const KEY_DAYS: readonly number[] = [30, 90, 365];

/** The longest lifetime of a key that expires, in days. */
const MAX_DAYS = 3_650;

/** Creates an API key for the user. Only this response contains it. */
export async function createKey(call: Call): Promise<Outcome> {
  const { context, messages, services } = call;
  const { keys, now, routes } = services;
  const account = ownAccount(context);
  const form = new Form(call);
  const name = form.name();
  const scopes = scopesOf(call);
  const days = daysOf(call);
  const errors: Record<string, string> = {
    ...form.failed?.errors,
    ...scopes.length === 0 && { scopes: messages.keys.scopesMissing },
    ...days === null && { days: messages.invalidField },
  };
  if (days === null || Object.keys(errors).length > 0) return invalid(errors);
  const expiresAt = days === Infinity ? null : now() + days * 86_400_000;
  const member = await memberOf(call);
  if (member === null) return invalid({ team: messages.invalidField });
  const result = await keys.issue(account, {
    name,
    scopes,
    expiresAt,
    member,
  });
  if (!result.ok) {
    return result.reason === "ended"
      ? ended(call)
      : refused(messages.keys.tooMany(MAX_KEYS));
  }
  const { key, token } = result;
  reportSecurityEvent(context, { action: "key-create", userId: account.id });
  // This tells the owner, because a thief may have created the key.
  const link = await createWayToken(services, account, key.createdAt);
  services.outbox.add(context, newWayMail(call, account, KEY, link));
  const location = routes.keys.index.href();
  const shown = { key: token, id: key.id, expiresAt };
  return { ok: true, next: "done", location, shown };
}

/** Revokes an API key of the user. */
export async function revokeKey(call: Call): Promise<Outcome> {
  const { context, input, messages, services: { keys, routes } } = call;
  const { id: userId } = ownAccount(context);
  const id = input.get("id");
  if (typeof id !== "string" || !await keys.revoke(userId, id)) {
    return refused(messages.keys.unknown, 404);
  }
  reportSecurityEvent(context, { action: "key-revoke", userId });
  return done(routes.keys.index.href(), messages.keys.revoked);
}

/** Returns the key that a page or a form names; `null` if it does not exist. */
export async function namedKey(
  { context, input, services: { keys } }: Call,
): Promise<StoredKey | null> {
  const id = input.get("id") ?? context.url.searchParams.get("id");
  const own = await keys.list(ownAccount(context).id);
  return own.find((key) => key.id === id) ?? null;
}

/** Reads the scopes: an array of a script, or the checkboxes of the form. */
function scopesOf({ input, services: { names } }: Call): string[] {
  const listed = names.scopes ?? [];
  const given = input.get("scopes");
  if (given === undefined) {
    return listed.filter((scope) => input.get(scopeInputOf(scope)) === "on");
  }
  // An unknown scope is an error, because the client expects its rights.
  const isKnown = Array.isArray(given) &&
    given.every((scope) => listed.includes(scope));
  return isKnown ? listed.filter((scope) => given.includes(scope)) : [];
}

/** Reads the team; `null` if the user is not a member. */
async function memberOf(
  { context, input, services: { teams } }: Call,
): Promise<StoredMember | null | undefined> {
  const team = input.get("team") ?? "";
  if (team === "") return undefined;
  if (typeof team !== "string" || !teams.isOn) return null;
  const { id } = ownAccount(context);
  return (await teams.store.membership(team, id))?.member ?? null;
}

/** Reads the lifetime in days; `null` if it is malformed. */
function daysOf({ input }: Call): number | null {
  const given = input.get("days") ?? "90";
  if (given === "never") return Infinity;
  const isText = typeof given === "string" && /^\d{1,4}$/.test(given);
  const days = isText || Number.isSafeInteger(given) ? Number(given) : 0;
  return days >= 1 && days <= MAX_DAYS ? days : null;
}
