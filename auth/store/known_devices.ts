import { createContextKey } from "../../router/internal.ts";
import type { ContextKey, RequestContext } from "../../router/mod.ts";
import {
  type CallStore,
  type FoundValue,
  parseJSON,
  ValueStore,
} from "../../session/internal.ts";
import { SessionConflictError, type SessionStore } from "../../session/mod.ts";
import {
  DeviceBrowser,
  type DeviceOptions,
  type KnownDevice,
  knownDevices,
  withCount,
} from "./device_browser.ts";

/** The store of known devices, and their cookie. */
export interface KnownDevicesOptions extends DeviceOptions {
  /** Calls the store. */
  readonly callStore: CallStore;
  /**
   * The store, if others share its devices and the cookie. A request then gives its
   * browser a new ID only once for each account.
   *
   * @default {each call gives it a new ID}
   */
  readonly sharedStore?: SessionStore;
  /** The beginning of the keys in the store. */
  readonly keyPrefix: string;
  /** The verb of the error message if the store fails. */
  readonly verb: string;
}

/** The devices of an account, as they were read. */
type FoundDevices = FoundValue<readonly KnownDevice[]> | null;

/** A known device, and the devices that it was found in. */
export interface FoundDevice {
  readonly device: KnownDevice;
  readonly devices?: FoundDevices | undefined;
}

/** Options for `add`. */
export interface AddOptions {
  /** The device, if it keeps its ID. */
  readonly keep?: KnownDevice | undefined;
  /** The throttle whose failures are forgotten. */
  readonly clear?: string;
  /** The devices that were read before. */
  readonly from?: FoundDevices | undefined;
}

/** The lists of devices in which the browser of a request got a new ID. */
const DeviceLists: ContextKey<readonly DeviceList[]> =
  /* @__PURE__ */ createContextKey<
    readonly DeviceList[]
  >(/* @__PURE__ */ Object.freeze([]), { name: "DeviceLists" });

/** The devices of one account in one store, and the cookie of their IDs. */
interface DeviceList {
  readonly store: SessionStore;
  readonly key: string;
  readonly cookie: string;
}

/**
 * Remembers the browsers that accounts logged in on, as OWASP's device cookies.
 *
 * The cookie contains random IDs, one for each account, so a device is known
 * only to the account that it belongs to. The store contains their hashes. A
 * cookie cannot be forged although there is no secret, and it can be revoked.
 */
export class KnownDevices {
  readonly #options: KnownDevicesOptions;
  readonly #devices: ValueStore<readonly KnownDevice[]>;

  constructor(options: KnownDevicesOptions) {
    const { callStore, keyPrefix, maxAge, verb } = options;
    this.#options = options;
    this.#devices = new ValueStore(callStore, {
      prefix: keyPrefix,
      ttl: maxAge * 1000,
      parse: (text) => knownDevices(parseJSON(text), options),
      verb,
    });
  }

  /** Returns the devices of an account, the last login first. */
  async list(account: string): Promise<readonly KnownDevice[]> {
    return (await this.#read(account))?.value ?? [];
  }

  /** Forgets one device of an account, or all of them. */
  async remove(account: string, hash?: string): Promise<void> {
    const key = await this.#devices.key(account);
    if (hash === undefined) return await this.#devices.remove(key);
    const isRemoved = await this.#devices.update(key, (devices) => {
      const value = (devices ?? []).filter(([one]) => one !== hash);
      return { value, result: true };
    });
    if (isRemoved === undefined) throw new SessionConflictError("taken");
  }

  /** Finds the device of a request, or returns `null` for an unknown device. */
  async find(
    context: RequestContext,
    account: string,
  ): Promise<FoundDevice | null> {
    const browser = await this.#browserOf(context, account);
    if (!browser.hasID) return null;
    const devices = await this.#read(account);
    const device = browser.find(devices?.value ?? []);
    return device && { device, devices };
  }

  /**
   * Makes the browser a known device of the account, and sets its cookie. Does
   * nothing if this request has done so for another throttle, or if others change
   * the devices at the same time.
   */
  async add(
    context: RequestContext,
    account: string,
    { clear, from, keep }: AddOptions = {},
  ): Promise<void> {
    const key = await this.#devices.key(account);
    if (this.#wasAdded(context, key)) return;
    const browser = await this.#browserOf(context, account);
    if (!browser.hasCookie) return;
    const hash = keep?.[0] ?? null;
    const before = await this.#devices.update(key, (value) => {
      const result = value ?? [];
      return { value: browser.addTo(result, hash, clear), result };
    }, from);
    if (!before) return;
    browser.setCookie(before, hash);
    const { cookie, sharedStore: store } = this.#options;
    if (store === undefined || keep !== undefined) return;
    const list = { store, key, cookie };
    context.set(DeviceLists, [...context.get(DeviceLists), list]);
  }

  /** Reads the devices of an account, to add the browser of a request later. */
  async prepare(
    context: RequestContext,
    account: string,
  ): Promise<() => Promise<void>> {
    const key = await this.#devices.key(account);
    if (this.#wasAdded(context, key)) return () => Promise.resolve();
    const { hasCookie } = await this.#browserOf(context, account);
    const from = hasCookie ? await this.#devices.read(key) : undefined;
    return () => this.add(context, account, { from });
  }

  /**
   * Changes the failures of a device for one throttle.
   *
   * @param change Returns the new count, or `null` to leave it as it is.
   * @returns The new count; `null` if there was no change.
   */
  async count<Count>(
    account: string,
    { device, devices: from }: FoundDevice,
    name: string,
    change: (count: unknown) => Count | null,
  ): Promise<Count | null> {
    const [hash] = device;
    const key = await this.#devices.key(account);
    const counted = await this.#devices.update(key, (devices) => {
      const found = devices?.find(([one]) => one === hash);
      const result = found ? change(found[3]?.[name]) : null;
      if (devices === null || result === null) return null;
      return { value: withCount(devices, device, name, result), result };
    }, from);
    return counted ?? null;
  }

  /** Returns `true` if this request has given its browser a new ID. */
  #wasAdded(context: RequestContext, key: string): boolean {
    const { cookie, sharedStore } = this.#options;
    return context.get(DeviceLists).some((list) =>
      list.store === sharedStore && list.key === key && list.cookie === cookie
    );
  }

  async #read(account: string): Promise<FoundDevices> {
    return await this.#devices.read(await this.#devices.key(account));
  }

  #browserOf(
    context: RequestContext,
    account: string,
  ): Promise<DeviceBrowser> {
    return DeviceBrowser.of(context, account, this.#options);
  }
}
