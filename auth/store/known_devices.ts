import type { RequestContext } from "../../router/mod.ts";
import {
  type CallStore,
  createLabel,
  type HostCookie,
  hostCookie,
} from "../../session/internal.ts";
import {
  Session,
  SessionConflictError,
  type SessionLabel,
  type SessionStore,
} from "../../session/mod.ts";
import { encodeBase64Url, sha256Base64Url } from "../../session/secrets.ts";

/** The most known devices of an account. */
const MAX_DEVICES = 10;

/** The most accounts that know a browser. */
const MAX_ACCOUNTS = 5;

/** The number of tries to change a record that other requests change too. */
const MAX_TRIES = 20;

/** 128 random bits. */
const ID = /^[\w-]{22}$/;

/** The store of known devices, and their cookie. */
export interface KnownDevicesOptions {
  /** Calls the store. */
  readonly callStore: CallStore;
  readonly now: () => number;
  /** The name of the cookie, without its prefix. */
  readonly cookie: string;
  /** The beginning of the keys in the store. */
  readonly keyPrefix: string;
  /** The time for which a device is known, in seconds. */
  readonly maxAge: number;
  /** The verb of the error message if the store fails. */
  readonly verb: string;
  /** `true` to store the browser and the address, for a list of devices. */
  readonly hasLabels?: boolean;
}

/**
 * A device of an account: the hash of its ID, its last login, and its browser if
 * devices are listed.
 */
export type KnownDevice = readonly [
  hash: string,
  seenAt: number,
  label?: SessionLabel,
];

/**
 * Remembers the browsers that accounts logged in on, as OWASP's device cookies.
 *
 * The cookie holds random IDs, one for each account, so a device is known only
 * to the account that it belongs to. The store holds their hashes. A cookie
 * cannot be forged although there is no secret, and it can be revoked.
 */
export class KnownDevices {
  readonly #options: KnownDevicesOptions;

  constructor(options: KnownDevicesOptions) {
    this.#options = options;
  }

  /** Returns the devices of an account, the last login first. */
  async list(account: string): Promise<readonly KnownDevice[]> {
    return (await this.#read(await this.#keyOf(account))).devices;
  }

  /** Forgets one device of an account, or all of them. */
  async remove(account: string, hash?: string): Promise<void> {
    const { callStore, verb } = this.#options;
    const key = await this.#keyOf(account);
    if (hash === undefined) {
      return await callStore(verb, (store) => store.delete(key));
    }
    const isOther = ([one]: KnownDevice) => one !== hash;
    if (await this.#change(key, (devices) => devices.filter(isOther))) return;
    throw new SessionConflictError("taken");
  }

  /** Returns the hash of the device's ID, or `null` for an unknown device. */
  async find(context: RequestContext, account: string): Promise<string | null> {
    return (await this.#find(context, account))?.[0] ?? null;
  }

  /** Returns the time of the device's last login, or `null` if it is unknown. */
  async seenAt(
    context: RequestContext,
    account: string,
  ): Promise<number | null> {
    return (await this.#find(context, account))?.[1] ?? null;
  }

  async #find(
    context: RequestContext,
    account: string,
  ): Promise<KnownDevice | null> {
    const ids = idsOf(this.#cookie(context));
    if (ids.length === 0) return null;
    const { devices } = await this.#read(await this.#keyOf(account));
    const hashes = await Promise.all(ids.map((id) => hashOf(id, account)));
    return devices.find(([hash]) => hashes.includes(hash)) ?? null;
  }

  /**
   * Makes the browser a known device of the account, and sets its cookie.
   *
   * @param keep The hash of an ID that the browser may keep. Without it, the
   * browser gets a new ID: a copy of the old cookie may belong to another client.
   */
  async add(
    context: RequestContext,
    account: string,
    keep: string | null,
  ): Promise<void> {
    const cookie = this.#cookie(context);
    if (cookie === null) return;
    const ids = idsOf(cookie);
    const hashes = await Promise.all(ids.map((id) => hashOf(id, account)));
    const kept = keep === null ? undefined : ids[hashes.indexOf(keep)];
    const id = kept ?? newId();
    const hash = await hashOf(id, account);
    const device: KnownDevice = this.#options.hasLabels
      ? [hash, this.#options.now(), createLabel(context)]
      : [hash, this.#options.now()];
    const old = await this.#replace(account, hashes, device);
    if (old === null) return;
    const others = ids.filter((_, at) => !old.includes(hashes[at]!));
    const value = [id, ...others].slice(0, MAX_ACCOUNTS).join(".");
    cookie.set(value, this.#options.maxAge);
  }

  /**
   * Replaces the earlier devices of this browser with a new one.
   *
   * @returns The hashes of the devices that were replaced; `null` if others
   * changed the record too often.
   */
  async #replace(
    account: string,
    browser: readonly string[],
    device: KnownDevice,
  ): Promise<string[] | null> {
    let old: string[] = [];
    const isSaved = await this.#change(
      await this.#keyOf(account),
      (devices) => {
        old = devices.map(([one]) => one).filter((one) =>
          browser.includes(one)
        );
        const others = devices.filter(([one]) => !browser.includes(one));
        return [device, ...others.slice(0, MAX_DEVICES - 1)];
      },
    );
    return isSaved ? old : null;
  }

  /** Changes the devices of an account by compare-and-swap. */
  async #change(
    key: string,
    change: (devices: readonly KnownDevice[]) => readonly KnownDevice[],
  ): Promise<boolean> {
    const { callStore, maxAge, verb } = this.#options;
    const ttl = maxAge * 1000;
    for (let tries = 0; tries < MAX_TRIES; tries++) {
      const { devices, version } = await this.#read(key);
      const value = JSON.stringify(change(devices));
      const options = { ttl, ifVersion: version };
      const put = (store: SessionStore) => store.put(key, value, options);
      if (await callStore(verb, put)) return true;
    }
    return false;
  }

  async #read(
    key: string,
  ): Promise<{ devices: readonly KnownDevice[]; version: string | null }> {
    const { callStore, maxAge, now, verb } = this.#options;
    const found = await callStore(verb, (store) => store.get(key));
    const oldest = now() - maxAge * 1000;
    const devices = parseDevices(found?.value)
      .filter(([, seenAt]) => seenAt >= oldest)
      .sort(([, a], [, b]) => b - a);
    return { devices, version: found?.version ?? null };
  }

  async #keyOf(account: string): Promise<string> {
    const hash = await sha256Base64Url(account);
    return `${this.#options.keyPrefix}:${hash}`;
  }

  /** Returns the device cookie, or `null` if no session middleware can set it. */
  #cookie(context: RequestContext): HostCookie | null {
    return context.has(Session)
      ? hostCookie(context.get(Session), this.#options.cookie)
      : null;
  }
}

function idsOf(cookie: HostCookie | null): string[] {
  const value = cookie?.value ?? "";
  // A client can send a cookie of any length.
  if (value.length > 23 * MAX_ACCOUNTS) return [];
  return [...new Set(value.split("."))].filter((id) => ID.test(id));
}

function newId(): string {
  return encodeBase64Url(crypto.getRandomValues(new Uint8Array(16)));
}

/** Returns the hash of an ID, which is valid for this account only. */
async function hashOf(id: string, account: string): Promise<string> {
  return await sha256Base64Url(`device ${id} ${account}`);
}

function parseDevices(json: string | undefined): readonly KnownDevice[] {
  if (json === undefined) return [];
  try {
    const devices: unknown = JSON.parse(json);
    return Array.isArray(devices) ? devices.filter(isDevice) : [];
  } catch {
    return [];
  }
}

function isDevice(value: unknown): value is KnownDevice {
  return Array.isArray(value) && typeof value[0] === "string" &&
    Number.isFinite(value[1]);
}
