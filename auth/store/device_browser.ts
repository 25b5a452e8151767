import type { RequestContext } from "../../router/mod.ts";
import {
  createLabel,
  type HostCookie,
  hostCookie,
} from "../../session/internal.ts";
import { Session, type SessionLabel } from "../../session/mod.ts";
import { randomToken, sha256Base64Url } from "../../session/secrets.ts";

/** The maximum number of known devices per account. */
const MAX_DEVICES = 10;

/** The maximum number of accounts that know a browser. */
const MAX_ACCOUNTS = 5;

/** 128 random bits. */
const ID = /^[\w-]{22}$/;

/** The cookie of known devices. */
export interface DeviceOptions {
  readonly now: () => number;
  /** The name of the cookie, without its prefix. */
  readonly cookie: string;
  /** The time for which a device is known, in seconds. */
  readonly maxAge: number;
  /** `true` to store the browser and the address, for a list of devices. */
  readonly hasLabels?: boolean;
}

/** A known device of an account. */
export type KnownDevice = readonly [
  /** The hash of its ID. */
  hash: string,
  /** The time of its last login, in epoch milliseconds. */
  seenAt: number,
  /** Its browser and address, if devices are listed. */
  label?: SessionLabel | null,
  /** The failures that throttles have counted, by their names. */
  counts?: Readonly<Record<string, unknown>>,
];

/** An ID in the cookie, and its hash, which is valid for one account only. */
interface DeviceID {
  readonly id: string;
  readonly hash: string;
}

/** The browser of a request, as one account knows it. */
export class DeviceBrowser {
  readonly #context: RequestContext;
  readonly #options: DeviceOptions;
  readonly #cookie: HostCookie | null;
  readonly #ids: readonly DeviceID[];
  readonly #newID: DeviceID;

  private constructor(
    context: RequestContext,
    options: DeviceOptions,
    cookie: HostCookie | null,
    [newID, ...ids]: [DeviceID, ...DeviceID[]],
  ) {
    this.#context = context;
    this.#options = options;
    this.#cookie = cookie;
    this.#newID = newID;
    this.#ids = ids;
  }

  /** Reads the cookie of a request. */
  static async of(
    context: RequestContext,
    account: string,
    options: DeviceOptions,
  ): Promise<DeviceBrowser> {
    // Only the session middleware can set the cookie.
    const cookie = context.has(Session)
      ? hostCookie(context.get(Session), options.cookie)
      : null;
    const newID = randomToken(16);
    const hashed = async (id: string) => {
      const hash = await sha256Base64Url(`device ${id} ${account}`);
      return { id, hash };
    };
    const ids = await Promise.all([
      hashed(newID),
      ...idsOf(cookie).map(hashed),
    ]);
    return new DeviceBrowser(context, options, cookie, ids);
  }

  /** `true` if it sent an ID. */
  get hasID(): boolean {
    return this.#ids.length > 0;
  }

  /** `true` if it can become known. */
  get hasCookie(): boolean {
    return this.#cookie !== null;
  }

  /** Returns its entry in the devices of the account. */
  find(devices: readonly KnownDevice[]): KnownDevice | null {
    return devices.find(([hash]) => this.#has(hash)) ?? null;
  }

  /**
   * Returns the devices with this one instead of its earlier entries.
   *
   * @param keep The hash of an ID that the browser keeps. Without it, the browser
   * gets a new ID: a copy of the old cookie may belong to another client.
   * @param clear The throttle whose failures are forgotten.
   */
  addTo(
    devices: readonly KnownDevice[],
    keep: string | null,
    clear?: string,
  ): KnownDevice[] {
    const { hasLabels, now } = this.#options;
    const { hash } = this.#idOf(keep);
    const label = hasLabels ? createLabel(this.#context) : null;
    const { [clear ?? ""]: _, ...counts } =
      devices.find(([one]) => one === hash)?.[3] ?? {};
    const device: KnownDevice = [hash, now(), label, counts];
    const others = devices.filter(([hash]) => !this.#has(hash));
    return [device, ...others.slice(0, MAX_DEVICES - 1)];
  }

  /**
   * Sets the cookie after the browser was added.
   *
   * @param before The devices that it was added to.
   */
  setCookie(before: readonly KnownDevice[], keep: string | null): void {
    const { id } = this.#idOf(keep);
    const known = new Set(before.map(([hash]) => hash));
    const replaced = this.#ids.filter(({ hash }) => known.has(hash))
      .map((one) => one.id).filter((one) => one !== id);
    // Another throttle may have set the cookie in the meantime.
    const others = idsOf(this.#cookie).filter((one) => !replaced.includes(one));
    const ids = others.includes(id) ? others : [id, ...others];
    const value = ids.slice(0, MAX_ACCOUNTS).join(".");
    this.#cookie?.set(value, this.#options.maxAge);
  }

  #idOf(keep: string | null): DeviceID {
    return this.#ids.find(({ hash }) => hash === keep) ?? this.#newID;
  }

  #has(hash: string): boolean {
    return this.#ids.some((one) => one.hash === hash);
  }
}

function idsOf(cookie: HostCookie | null): string[] {
  const value = cookie?.value ?? "";
  // A client can send a cookie of any length.
  if (value.length > 23 * MAX_ACCOUNTS) return [];
  return [...new Set(value.split("."))].filter((id) => ID.test(id));
}

/** Returns stored devices that are still known, the last login first. */
export function knownDevices(
  stored: unknown,
  { maxAge, now }: DeviceOptions,
): readonly KnownDevice[] {
  const oldest = now() - maxAge * 1000;
  return (Array.isArray(stored) ? stored : []).filter(isDevice)
    .filter(([, seenAt]) => seenAt >= oldest)
    .sort(([, a], [, b]) => b - a);
}

function isDevice(value: unknown): value is KnownDevice {
  return Array.isArray(value) && typeof value[0] === "string" &&
    Number.isFinite(value[1]);
}

/** Changes the failures of a device for one throttle. */
export function withCount(
  devices: readonly KnownDevice[],
  [hash]: KnownDevice,
  name: string,
  count: unknown,
): KnownDevice[] {
  return devices.map((device) => {
    const [one, seenAt, label = null, counts] = device;
    return one === hash
      ? [one, seenAt, label, { ...counts, [name]: count }]
      : device;
  });
}
