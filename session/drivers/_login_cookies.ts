import type { SecretBox } from "../secret_box.ts";
import {
  isObject,
  type JSONValue,
  RESERVED_PREFIX,
  type SessionRecord,
} from "../record.ts";
import { sha256Base64Url } from "../secrets.ts";

/** The lifetime of a login that has begun, in milliseconds. */
const LIFETIME = 600_000;

/** The maximum number of cookies to read. */
const MAX_COUNT = 16;

/** The maximum size of all cookies in bytes: servers limit the size of headers. */
const MAX_BYTES = 4096;

/** A login that has begun: one property of a reserved object in the session. */
export interface PendingLogin {
  readonly key: string;
  readonly property: string;
  readonly text: string;
}

/** A login and its cookie. */
interface LoginCookie extends PendingLogin {
  readonly expiresAt: number;
  readonly size: number;
}

/** A cookie that the response has to set. */
interface NewCookie {
  readonly suffix: string;
  readonly value: string;
  readonly maxAge: number;
}

/** The logins that have begun and not ended, each in a separate short cookie. */
export class LoginCookies {
  readonly #cipher: SecretBox;
  readonly #now: () => number;
  readonly #bySuffix = new Map<string, LoginCookie>();

  constructor(cipher: SecretBox, now: () => number) {
    this.#cipher = cipher;
    this.#now = now;
  }

  /** Splits a record into the logins and the rest. */
  static split(
    record: SessionRecord,
  ): { main: SessionRecord; logins: PendingLogin[] } {
    const values = new Map(record.content.values);
    const logins: PendingLogin[] = [];
    for (const [key, value] of record.content.values) {
      if (!key.startsWith(RESERVED_PREFIX) || !isObject(value)) continue;
      values.delete(key);
      for (const [property, part] of Object.entries(value)) {
        logins.push({ key, property, text: JSON.stringify(part) });
      }
    }
    return { main: record.withValues(values), logins };
  }

  /** `true` if there are no logins. */
  get isEmpty(): boolean {
    return this.#bySuffix.size === 0;
  }

  /** The ends of the cookies' names, after the name of the session's cookie. */
  get suffixes(): string[] {
    return [...this.#bySuffix.keys()];
  }

  /** Removes all logins. */
  clear(): void {
    this.#bySuffix.clear();
  }

  /**
   * Reads the cookies of a request.
   *
   * @param cookies The cookies of logins: names and values.
   * @param name The name of the session's cookie.
   */
  async open(
    cookies: readonly [name: string, value: string][],
    name: string,
  ): Promise<void> {
    const opened: [string, LoginCookie][] = [];
    for (const [fullName, value] of cookies.slice(0, MAX_COUNT)) {
      const text = await this.#cipher.decrypt(fullName, value);
      if (text === null) continue;
      const size = fullName.length + value.length;
      const login: LoginCookie = { ...JSON.parse(text), size };
      if (login.expiresAt <= this.#now()) continue;
      opened.push([fullName.slice(name.length), login]);
    }
    // Browsers send login cookies in any order. The oldest comes first here.
    opened.sort(([, a], [, b]) => a.expiresAt - b.expiresAt);
    for (const [suffix, login] of opened) this.#bySuffix.set(suffix, login);
  }

  /** Adds the logins to a record. */
  mergeInto(record: SessionRecord): void {
    const objects: Record<string, [string, JSONValue][]> = {};
    for (const { key, property, text } of this.#bySuffix.values()) {
      (objects[key] ??= []).push([property, JSON.parse(text)]);
    }
    for (const [key, entries] of Object.entries(objects)) {
      record.content.values.set(key, Object.fromEntries(entries));
    }
  }

  /** Replaces the logins. If the new ones are too large, drops the oldest. */
  async replace(
    name: string,
    logins: readonly PendingLogin[],
  ): Promise<{ kept: NewCookie[]; gone: string[] }> {
    const gone = new Set(this.#bySuffix.keys());
    const kept: NewCookie[] = [];
    let room = MAX_BYTES;
    const next: [string, LoginCookie][] = [];
    for (const login of logins.toReversed()) {
      const suffix = await suffixOf(login);
      const before = this.#bySuffix.get(suffix);
      const [cookie, change] = before?.text === login.text
        ? [before, undefined]
        : await this.#seal(name, suffix, login);
      // A login that is too large must not push out the others.
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
  ): Promise<[LoginCookie, NewCookie]> {
    const expiresAt = this.#now() + LIFETIME;
    const text = JSON.stringify({ ...login, expiresAt });
    const value = await this.#cipher.encrypt(name + suffix, text);
    const size = name.length + suffix.length + value.length;
    const maxAge = LIFETIME / 1000;
    return [{ ...login, expiresAt, size }, { suffix, value, maxAge }];
  }
}

/** Returns the end of the name of a login's cookie, the same for all requests. */
async function suffixOf({ key, property }: PendingLogin): Promise<string> {
  const hash = await sha256Base64Url(`${key}\n${property}`);
  return `.${hash.slice(0, 12)}`;
}
