import { RESERVED_PREFIX } from "../_change.ts";
import type { SessionRecord } from "../_record.ts";
import type { CookieCipher } from "../cookies/encryption.ts";
import { readCookiesBelow } from "../cookies/header.ts";
import type { JSONValue } from "../json.ts";
import { encodeBase64Url, sha256 } from "../secrets.ts";
import type { CookieChange } from "./driver.ts";

/** Milliseconds for which a login that has begun waits for its end. */
const LIFETIME = 600_000;

/** How many are read. */
const MAX_COUNT = 16;

/** The most bytes of all of them: servers bound the size of headers. */
const MAX_BYTES = 4096;

/** One property of a reserved value. */
export interface PendingLogin {
  readonly key: string;
  readonly property: string;
  readonly text: string;
}

/** An login with the cookie that carries it. */
interface LoginCookie extends PendingLogin {
  readonly expiresAt: number;
  readonly size: number;
}

/**
 * The logins that have begun and not ended, each in a short cookie of its own:
 * the properties of the objects whose keys are reserved for `auth`.
 */
export class LoginCookies {
  readonly #cipher: CookieCipher;
  readonly #now: () => number;
  readonly #bySuffix = new Map<string, LoginCookie>();

  constructor(cipher: CookieCipher, now: () => number) {
    this.#cipher = cipher;
    this.#now = now;
  }

  /** Takes the reserved objects out of a record. */
  static split(
    record: SessionRecord,
  ): { main: SessionRecord; logins: PendingLogin[] } {
    const values = new Map(record.values);
    const logins: PendingLogin[] = [];
    for (const [key, value] of record.values) {
      if (!key.startsWith(RESERVED_PREFIX) || !isPlain(value)) continue;
      values.delete(key);
      for (const [property, part] of Object.entries(value)) {
        logins.push({ key, property, text: JSON.stringify(part) });
      }
    }
    return { main: record.withValues(values), logins };
  }

  /** Whether there is none. */
  get isEmpty(): boolean {
    return this.#bySuffix.size === 0;
  }

  /** What the names of the cookies have behind that of the session. */
  get suffixes(): string[] {
    return [...this.#bySuffix.keys()];
  }

  /** Forgets them all. */
  clear(): void {
    this.#bySuffix.clear();
  }

  /** Reads the cookies of a request. */
  async open(header: string | null, name: string): Promise<void> {
    const cookies = readCookiesBelow(header, `${name}.`).slice(0, MAX_COUNT);
    if (cookies.length === 0) return;
    const opened: [string, LoginCookie][] = [];
    for (const [fullName, value] of cookies) {
      const text = await this.#cipher.decrypt(fullName, value);
      if (text === null) continue;
      const size = fullName.length + value.length;
      const login: LoginCookie = { ...JSON.parse(text), size };
      if (login.expiresAt <= this.#now()) continue;
      opened.push([fullName.slice(name.length), login]);
    }
    // The order is the browser's: the oldest is to be the first.
    opened.sort(([, a], [, b]) => a.expiresAt - b.expiresAt);
    for (const [suffix, login] of opened) this.#bySuffix.set(suffix, login);
  }

  /** Puts them where they were split from. */
  mergeInto(record: SessionRecord): void {
    const objects: Record<string, [string, JSONValue][]> = {};
    for (const { key, property, text } of this.#bySuffix.values()) {
      (objects[key] ??= []).push([property, JSON.parse(text)]);
    }
    for (const [key, entries] of Object.entries(objects)) {
      record.values.set(key, Object.fromEntries(entries));
    }
  }

  /** Makes these the ones that there are; the oldest give way to the others. */
  async replace(
    name: string,
    logins: readonly PendingLogin[],
  ): Promise<{ kept: CookieChange[]; gone: string[] }> {
    const gone = new Set(this.#bySuffix.keys());
    const kept: CookieChange[] = [];
    let room = MAX_BYTES;
    const next: [string, LoginCookie][] = [];
    for (const login of logins.toReversed()) {
      const suffix = await suffixOf(login);
      const before = this.#bySuffix.get(suffix);
      const [cookie, change] = before?.text === login.text
        ? [before, undefined]
        : await this.#seal(name, suffix, login);
      // One that is too large by itself must not cost the others their place.
      if (cookie.size > room) continue;
      room -= cookie.size;
      gone.delete(suffix);
      next.unshift([suffix, cookie]);
      if (change !== undefined) kept.push(change);
    }
    this.#bySuffix.clear();
    for (const [suffix, cookie] of next) this.#bySuffix.set(suffix, cookie);
    return { kept, gone: [...gone] };
  }

  async #seal(
    name: string,
    suffix: string,
    login: PendingLogin,
  ): Promise<[LoginCookie, CookieChange]> {
    const expiresAt = this.#now() + LIFETIME;
    const text = JSON.stringify({ ...login, expiresAt });
    const value = await this.#cipher.encrypt(name + suffix, text);
    const size = name.length + suffix.length + value.length;
    const maxAge = LIFETIME / 1000;
    return [{ ...login, expiresAt, size }, { suffix, value, maxAge }];
  }
}

/** Names the cookie of an login, the same for each request. */
async function suffixOf({ key, property }: PendingLogin): Promise<string> {
  const hash = await sha256(`${key}\n${property}`);
  return `.${encodeBase64Url(hash.subarray(0, 9))}`;
}

function isPlain(value: JSONValue): value is { [key: string]: JSONValue } {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
