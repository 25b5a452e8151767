import { allowNewSession } from "../../session/internal.ts";
import type { JSONValue, Session } from "../../session/mod.ts";
import { sha256Base64Url } from "../../session/secrets.ts";
import { canonicalName } from "../store/account_name.ts";
import type { EmailRecord } from "./_email_store.ts";

/** The last email that a browser asked for, in its session. */
export interface AskedEmail {
  /** The key of the email in the store, if there was one. */
  readonly key?: string;
  /**
   * The hash of the address and its account, if the email was delayed, and the
   * time of the request in epoch milliseconds.
   */
  readonly delayed?: readonly [hash: string, time: number];
}

/** The email that a browser asked for: sent, or delayed by the limit. */
export type NewlyAsked =
  | { readonly key: string }
  | {
    readonly delayed: Pick<EmailRecord, "email" | "account"> & {
      readonly now: number;
    };
  };

/** The session key of asked emails. `completeAuth` removes this prefix. */
const KEY = "__auth.email-login";

/**
 * The time for which a browser may use the link of another email, in
 * milliseconds. It is longer than the longest delay between two emails.
 */
const DELAYED_TTL = 3_600_000;

/** Remembers the last email of a purpose that a browser asked for. */
export async function rememberAsked(
  session: Session,
  purpose: string,
  asked: NewlyAsked,
): Promise<void> {
  const value: JSONValue = "key" in asked
    ? { key: asked.key }
    : { delayed: [await hashOf(asked.delayed), asked.delayed.now] };
  session.update(KEY, (all) => ({ ...toObject(all), [purpose]: value }));
  allowNewSession(session);
}

/** Returns the last email of a purpose that a browser asked for, or `null`. */
export function askedEmail(
  session: Session,
  purpose: string,
): AskedEmail | null {
  const all = toObject(session.get(KEY));
  return Object.hasOwn(all, purpose)
    ? toObject(all[purpose]) as AskedEmail
    : null;
}

/**
 * Returns `true` if a browser asked for an email to the same address and account,
 * which the limit delayed. Only the owner of the address can open this one, even if
 * an attacker asked for it.
 */
export async function isDelayedEmail(
  asked: AskedEmail | null,
  record: EmailRecord,
  now: number,
): Promise<boolean> {
  const [hash, time] = asked?.delayed ?? [];
  return time !== undefined && Math.abs(now - time) < DELAYED_TTL &&
    hash === await hashOf(record);
}

function hashOf(
  { email, account }: Pick<EmailRecord, "email" | "account">,
): Promise<string> {
  const text = [canonicalName(email), account === null, String(account)];
  return sha256Base64Url(JSON.stringify(text));
}

function toObject(value: unknown): Readonly<Record<string, JSONValue>> {
  return typeof value === "object" && value !== null
    ? value as Readonly<Record<string, JSONValue>>
    : {};
}
