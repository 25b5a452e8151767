import type { Call } from "./actions/call.ts";
import { ownAccount } from "./current_account.ts";
import { IDENTITY } from "./actions/identity.ts";
import { requiresFactor } from "./factors/required_factor.ts";
import { countPasskeys } from "./actions/passkey_store.ts";

/** The facts that decide how safe an account is. */
export interface Safety {
  readonly hasPassword: boolean;
  /** The number of passkeys. */
  readonly passkeys: number;
  /** `true` if a login needs the code of an app. */
  readonly twoStep: boolean;
  /** The number of recovery codes that are left. */
  readonly recoveryCodes: number;
  /** `true` if each login needs a second factor. */
  readonly factorRequired: boolean;
}

/** Returns the facts that decide how safe the account of the user is. */
export async function readSafety(
  { context, services }: Call,
): Promise<Safety> {
  const { factors } = services;
  const account = ownAccount(context);
  const { hasPassword, id } = account;
  const passkeys = await countPasskeys(services, id);
  const { recoveryCodes, totp: twoStep } = await factors.status(id);
  const factorRequired = await requiresFactor(services, account);
  return { hasPassword, passkeys, twoStep, recoveryCodes, factorRequired };
}

/** The numbers of connections, each `undefined` if the feature is off. */
export interface ConnectedCounts {
  readonly logins: number | undefined;
  readonly apps: number | undefined;
  readonly teams: number | undefined;
}

/** Returns the numbers of connections of the user. */
export async function countConnected(
  { context, services: { apps, providers, store, teams } }: Call,
): Promise<ConnectedCounts> {
  const { id } = ownAccount(context);
  const hasProviders = Object.keys(providers).length > 0;
  return {
    logins: hasProviders
      ? (await store.waysIn(id, IDENTITY)).length
      : undefined,
    apps: apps.isOn ? (await apps.list(id)).length : undefined,
    teams: teams.isOn ? (await teams.store.list(id)).length : undefined,
  };
}
