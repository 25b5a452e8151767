import type { CookieChange } from "./_backing.ts";
import { encodeBase64Url, sha256 } from "./_bytes.ts";
import { readCookiesBelow } from "./_cookie_header.ts";
import type { JSONValue } from "./json.ts";
import { RESERVED_PREFIX } from "./_operation.ts";
import type { SessionRecord } from "./_record.ts";
import type { Sealer } from "./_sealer.ts";

/** Milliseconds for which a login that has begun waits for its end. */
const LIFETIME = 600_000;

/** How many are read. */
const MAX_COUNT = 16;

/** The most bytes of all of them: servers bound the size of headers. */
const MAX_BYTES = 4096;

/** One property of a reserved value. */
export interface Aside {
  readonly key: string;
  readonly property: string;
  readonly text: string;
}

/** An aside with the cookie that carries it. */
interface Carried extends Aside {
  readonly expiresAt: number;
  readonly size: number;
}

/**
 * The logins that have begun and not ended, each in a short cookie of its own:
 * the properties of the objects whose keys are reserved for `auth`.
 */
export class AsideCookies {
  readonly #sealer: Sealer;
  readonly #now: () => number;
  readonly #bySuffix = new Map<string, Carried>();

  constructor(sealer: Sealer, now: () => number) {
    this.#sealer = sealer;
    this.#now = now;
  }

  /** Takes the reserved objects out of a record. */
  static split(
    record: SessionRecord,
  ): { main: SessionRecord; asides: Aside[] } {
    const values = new Map(record.values);
    const asides: Aside[] = [];
    for (const [key, value] of record.values) {
      if (!key.startsWith(RESERVED_PREFIX) || !isPlain(value)) continue;
      values.delete(key);
      for (const [property, part] of Object.entries(value)) {
        asides.push({ key, property, text: JSON.stringify(part) });
      }
    }
    return { main: record.withValues(values), asides };
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
    const opened: [string, Carried][] = [];
    for (const [fullName, value] of cookies) {
      const text = await this.#sealer.open(fullName, value);
      if (text === null) continue;
      const size = fullName.length + value.length;
      const aside: Carried = { ...JSON.parse(text), size };
      if (aside.expiresAt <= this.#now()) continue;
      opened.push([fullName.slice(name.length), aside]);
    }
    // The order is the browser's: the oldest is to be the first.
    opened.sort(([, a], [, b]) => a.expiresAt - b.expiresAt);
    for (const [suffix, aside] of opened) this.#bySuffix.set(suffix, aside);
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
    asides: readonly Aside[],
  ): Promise<{ kept: CookieChange[]; gone: string[] }> {
    const gone = new Set(this.#bySuffix.keys());
    const kept: CookieChange[] = [];
    let room = MAX_BYTES;
    const next: [string, Carried][] = [];
    for (const aside of asides.toReversed()) {
      const suffix = await suffixOf(aside);
      const before = this.#bySuffix.get(suffix);
      const [carried, change] = before?.text === aside.text
        ? [before, undefined]
        : await this.#seal(name, suffix, aside);
      // One that is too large by itself must not cost the others their place.
      if (carried.size > room) continue;
      room -= carried.size;
      gone.delete(suffix);
      next.unshift([suffix, carried]);
      if (change !== undefined) kept.push(change);
    }
    this.#bySuffix.clear();
    for (const [suffix, carried] of next) this.#bySuffix.set(suffix, carried);
    return { kept, gone: [...gone] };
  }

  async #seal(
    name: string,
    suffix: string,
    aside: Aside,
  ): Promise<[Carried, CookieChange]> {
    const expiresAt = this.#now() + LIFETIME;
    const text = JSON.stringify({ ...aside, expiresAt });
    const value = await this.#sealer.seal(name + suffix, text);
    const size = name.length + suffix.length + value.length;
    const maxAge = LIFETIME / 1000;
    return [{ ...aside, expiresAt, size }, { suffix, value, maxAge }];
  }
}

/** Names the cookie of an aside, the same for each request. */
async function suffixOf({ key, property }: Aside): Promise<string> {
  const hash = await sha256(`${key}\n${property}`);
  return `.${encodeBase64Url(hash.subarray(0, 9))}`;
}

function isPlain(value: JSONValue): value is { [key: string]: JSONValue } {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
