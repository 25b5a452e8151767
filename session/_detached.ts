import type { Backing, MakeRecord, Renewal } from "./_backing.ts";
import { randomToken } from "./_bytes.ts";
import { Journal } from "./_journal.ts";
import { parseRecord, type SessionRecord } from "./_record.ts";
import type { SessionScope } from "./session.ts";

/** The scope of a session that only lives in a test. */
export function detachedScope(): SessionScope {
  const day = 86_400_000;
  const timeouts = { idle: day, absolute: day, anonymous: day };
  const config = { timeouts, now: Date.now, storeTimeout: 1_000 };
  const journal = new Journal(new DetachedBacking(), config, () => ({}));
  journal.isLoaded = true;
  const load = () => Promise.resolve();
  const hostCookie = () => ({ value: undefined, set: () => {} });
  return {
    config,
    headers: undefined,
    hostCookie,
    isStrict: false,
    journal,
    load,
    store: null,
  };
}

/** A session that is kept by itself alone. */
class DetachedBacking implements Backing {
  readonly isInCookies = false;
  readonly cookies = [];
  id = "";
  #text: string | null = null;

  open(): Promise<null> {
    return Promise.resolve(null);
  }

  write(make: MakeRecord, renewal: Renewal): Promise<SessionRecord> {
    return Promise.try(() => {
      const stored = this.#text === null ? null : parseRecord(this.#text);
      const record = make(stored);
      if (stored === null && record.isEmpty) return record;
      this.#text = record.serialize();
      if (stored === null || renewal !== "none") this.id = randomToken();
      return record;
    });
  }

  end(): Promise<void> {
    this.#text = null;
    return Promise.resolve();
  }

  abandon(): Promise<void> {
    return Promise.resolve();
  }
}
