import type { RequestContext } from "../../router/mod.ts";
import { type HostCookie, hostCookie } from "../../session/internal.ts";
import { encodeBase64Url, sha256 } from "../../session/secrets.ts";
import { Session, type SessionStore } from "../../session/mod.ts";
import type { ThrottleConfig } from "./_failure_counter.ts";

/** Seconds for which a browser keeps the device cookie: one year. */
const MAX_AGE = 31_536_000;

/** The most known devices of an account. */
const MAX_DEVICES = 10;

/** The most accounts that know a browser. */
const MAX_ACCOUNTS = 5;

/** The number of tries to change a record that other requests change too. */
const MAX_TRIES = 20;

/** 128 random bits. */
const ID = /^[\w-]{22}$/;

/** A device of an account: the hash of its ID, and its last login. */
type Device = readonly [hash: string, seenAt: number];

/**
 * Remembers the browsers that accounts logged in on, as OWASP's device cookies.
 *
 * The cookie holds random IDs, one for each account, so a device is known only
 * to the account that it belongs to. The store holds their hashes. A cookie
 * cannot be forged although there is no secret, and it can be revoked.
 */
export class KnownDevices {
  readonly #config: ThrottleConfig;
  readonly #cookieName: string;

  constructor(config: ThrottleConfig, cookieName: string) {
    this.#config = config;
    this.#cookieName = cookieName;
  }

  /** Returns the hash of the device's ID, or `null` for an unknown device. */
  async find(context: RequestContext, account: string): Promise<string | null> {
    const ids = idsOf(this.#cookie(context));
    if (ids.length === 0) return null;
    const { devices } = await this.#read(await keyOf(account));
    const hashes = await Promise.all(ids.map((id) => hashOf(id, account)));
    return devices.find(([hash]) => hashes.includes(hash))?.[0] ?? null;
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
    const old = await this.#replace(account, hashes, hash);
    if (old === null) return;
    const others = ids.filter((_, at) => !old.includes(hashes[at]!));
    const value = [id, ...others].slice(0, MAX_ACCOUNTS).join(".");
    cookie.set(value, MAX_AGE);
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
    hash: string,
  ): Promise<string[] | null> {
    const key = await keyOf(account);
    const { callStore, now } = this.#config;
    const ttl = MAX_AGE * 1000;
    for (let tries = 0; tries < MAX_TRIES; tries++) {
      const { devices, version } = await this.#read(key);
      const old = devices.filter(([one]) => browser.includes(one));
      const others = devices.filter(([one]) => !browser.includes(one))
        .sort(([, a], [, b]) => b - a).slice(0, MAX_DEVICES - 1);
      const value = JSON.stringify([[hash, now()], ...others]);
      const options = { ttl, ifVersion: version };
      const put = (store: SessionStore) => store.put(key, value, options);
      if (await callStore("throttle", put)) {
        return old.map(([one]) => one);
      }
    }
    return null;
  }

  async #read(
    key: string,
  ): Promise<{ devices: readonly Device[]; version: string | null }> {
    const { callStore, now } = this.#config;
    const found = await callStore("throttle", (store) => store.get(key));
    const oldest = now() - MAX_AGE * 1000;
    const devices = parseDevices(found?.value)
      .filter(([, seenAt]) => seenAt >= oldest);
    return { devices, version: found?.version ?? null };
  }

  /** Returns the device cookie, or `null` if no session middleware can set it. */
  #cookie(context: RequestContext): HostCookie | null {
    return context.has(Session)
      ? hostCookie(context.get(Session), this.#cookieName)
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

async function keyOf(account: string): Promise<string> {
  return `throttle:device:${encodeBase64Url(await sha256(account))}`;
}

/** Returns the hash of an ID, which is valid for this account only. */
async function hashOf(id: string, account: string): Promise<string> {
  return encodeBase64Url(await sha256(`device ${id} ${account}`));
}

function parseDevices(json: string | undefined): readonly Device[] {
  if (json === undefined) return [];
  try {
    const devices: unknown = JSON.parse(json);
    return Array.isArray(devices) ? devices.filter(isDevice) : [];
  } catch {
    return [];
  }
}

function isDevice(value: unknown): value is Device {
  return Array.isArray(value) && typeof value[0] === "string" &&
    Number.isFinite(value[1]);
}
