import type { StoredAccount } from "../store/store.ts";
import { toUser } from "../to_user.ts";
import { type Call, type Failed, refused } from "../actions/call.ts";
import { PASSKEY } from "../actions/passkey_store.ts";
import type { Services, Settings } from "../actions/services.ts";

/** Returns `true` if an account must have a second factor. */
export function requiresFactor(
  { hooks, names }: Settings,
  account: StoredAccount,
): Promise<boolean> {
  return hooks.requiresSecondFactor(toUser(account, names));
}

/** Returns `true` if a confirmation of the login needs a second factor. */
export async function confirmsWithFactor(
  services: Services,
  account: StoredAccount,
): Promise<boolean> {
  const { totp } = await services.factors.status(account.id);
  return totp || await requiresFactor(services, account);
}

/** Returns the refusal to remove a factor that is the last one, or `null`. */
export async function lastFactorRefusal(
  { messages, services }: Call,
  account: StoredAccount,
  removed: "app" | { readonly passkey: string },
): Promise<Failed | null> {
  if (!await requiresFactor(services, account)) return null;
  const { factors, store } = services;
  const { totp } = await factors.status(account.id);
  const passkeys = await store.waysIn(account.id, PASSKEY);
  const isLast = removed === "app"
    ? passkeys.length === 0
    : !totp && passkeys.every(({ id }) => id === removed.passkey);
  return isLast ? refused(messages.factors.last, 409) : null;
}
