import type { RequestContext } from "../../router/mod.ts";
import type { CallStore } from "../../session/internal.ts";
import { ownSession } from "../login/own_account.ts";
import { type FoundDevice, KnownDevices } from "../store/known_devices.ts";
import type { FactorRecord, FactorStore } from "./_factor_store.ts";
import type { RememberedDevice, SecondFactorsOptions } from "./options.ts";

/** The options of remembered devices. */
interface RememberedDevicesOptions
  extends Pick<SecondFactorsOptions, "version"> {
  readonly callStore: CallStore;
  /** The name of the cookie, without its prefix. */
  readonly cookie: string;
  readonly now: () => number;
  /** The time for which a device needs no code, in milliseconds. */
  readonly rememberFor: number;
}

/** A user whose record was read, and the version of the user's login. */
interface DeviceOwner {
  readonly userId: string | number;
  readonly record: FactorRecord | null;
  readonly version: number | undefined;
}

/** The devices of users that need no code for a while. */
export class RememberedDevices {
  readonly #factors: FactorStore;
  readonly #devices: KnownDevices;
  readonly #options: RememberedDevicesOptions;

  constructor(factors: FactorStore, options: RememberedDevicesOptions) {
    const { callStore, cookie, now, rememberFor } = options;
    this.#factors = factors;
    this.#options = options;
    this.#devices = new KnownDevices({
      callStore,
      now,
      cookie,
      keyPrefix: "second-factor:device",
      maxAge: rememberFor / 1000,
      verb: "remember device in",
      hasLabels: true,
    });
  }

  /** Returns the device of a request, or `null` if it is not remembered. */
  find(
    context: RequestContext,
    owner: DeviceOwner,
  ): Promise<FoundDevice | null> {
    return this.#devices.find(context, this.#accountOf(owner));
  }

  /** Remembers the device of a request. */
  add(context: RequestContext, owner: DeviceOwner): Promise<void> {
    return this.#devices.add(context, this.#accountOf(owner));
  }

  /** Returns the devices of a user, the last login first. */
  async list(
    context: RequestContext,
    userId: string | number,
  ): Promise<readonly RememberedDevice[]> {
    const account = await this.#currentAccount(userId);
    const devices = await this.#devices.list(account);
    const [current] = (await this.#devices.find(context, account))?.device ??
      [];
    return devices.map(([id, since, label]) => ({
      id,
      current: id === current,
      since,
      expiresAt: since + this.#options.rememberFor,
      userAgent: label?.userAgent,
      address: label?.address,
    }));
  }

  /** Forgets one device of a user, or all of them. */
  async remove(userId: string | number, id?: string): Promise<void> {
    await this.#devices.remove(await this.#currentAccount(userId), id);
  }

  /** Forgets a device of the current user. */
  async removeOwn(context: RequestContext, id: string): Promise<void> {
    const { userId } = await ownSession(context, "forget the device");
    if (userId !== undefined) await this.remove(userId, id);
  }

  async #currentAccount(userId: string | number): Promise<string> {
    const record = await this.#factors.load(userId);
    const version = await this.#options.version?.(userId) ?? undefined;
    return this.#accountOf({ userId, record, version });
  }

  /**
   * Returns the account of remembered devices. It changes with each setup, and
   * with the version of the credentials. Without the option `version`, it does
   * not have the version of a login: `revoke` could not find the devices.
   */
  #accountOf({ userId, record, version }: DeviceOwner): string {
    const known = this.#options.version && version;
    return JSON.stringify([String(userId), record?.id ?? "", known]);
  }
}
