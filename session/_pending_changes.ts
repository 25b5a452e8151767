import { applyChange, type Change } from "./_change.ts";
import { isRefreshDue } from "./_lifetime.ts";
import {
  createRecord,
  type SessionLabel,
  type SessionRecord,
} from "./_record.ts";
import type {
  CreateLabel,
  IdChange,
  SessionConfig,
  SessionDriver,
} from "./drivers/driver.ts";
import { SessionConflictError } from "./errors.ts";
import type { JSONValue } from "./json.ts";

/** A session's changes, and what is to become of them. */
export class PendingChanges {
  /** Whether the content is known. */
  isLoaded = false;
  /** Whether anything asked for the session's content. */
  accessed = false;
  /** Whether `destroy` was called. */
  destroyed = false;
  /** Whether the response was made, so that nothing can be saved any more. */
  closed = false;
  /** Whether a session begins where this one has ended, as with a login. */
  begins = false;
  readonly #driver: SessionDriver;
  readonly #config: SessionConfig;
  readonly #label: CreateLabel;
  // Made when first asked for, which most requests never do.
  #readFlash: Map<string, JSONValue> | undefined;
  #keptFlash: Set<string> | undefined;
  #record: SessionRecord | undefined;
  #changes: Change[] = [];
  /** How many of them, the first, are on their way to the store. */
  #sent = 0;
  #idChange: IdChange = "keep";
  #hasEnded = false;
  /** How often a value that was taken turned out to be lost. */
  #conflicts = 0;
  #loading: Promise<void> | undefined;
  #saving: Promise<unknown> | undefined;

  constructor(
    backing: SessionDriver,
    config: SessionConfig,
    label: CreateLabel,
  ) {
    this.#driver = backing;
    this.#config = config;
    this.#label = label;
  }

  /** The id that the session is stored under; empty while it is not. */
  get id(): string {
    return this.#driver.id;
  }

  /** Flash values that were read: they last for this request. */
  get readFlash(): Map<string, JSONValue> {
    return this.#readFlash ??= new Map();
  }

  /** The keys of flash values that last for another request. */
  get keptFlash(): Set<string> {
    return this.#keptFlash ??= new Set();
  }

  /** The content as the handler sees it, with the changes applied. */
  get record(): SessionRecord {
    return this.#record ??= this.#newRecord({});
  }

  /** Whether saving is of use only if the browser gets a cookie. */
  get needsCookie(): boolean {
    return this.#driver.isInCookies || this.#idChange !== "keep" ||
      this.id === "";
  }

  /** Whether there is anything to save: a change, or an old time of last use. */
  get isDue(): boolean {
    if (this.#isChanged) return true;
    if (this.destroyed || !this.accessed || this.id === "") return false;
    const { now, timeouts } = this.#config;
    return isRefreshDue(this.record, timeouts, now(), this.record.seenAt);
  }

  get #isChanged(): boolean {
    if (this.destroyed) return !this.#hasEnded;
    return this.#changes.length > 0 || this.#idChange !== "keep";
  }

  /** Opens the session that the cookies lead to, if there is one. */
  load(header: string | null): Promise<void> {
    return this.#loading ??= this.#open(header);
  }

  async #open(header: string | null): Promise<void> {
    try {
      this.#record = await this.#driver.open(header) ?? undefined;
      this.isLoaded = true;
    } catch (error) {
      // A store that failed may answer the next one who asks.
      this.#loading = undefined;
      throw error;
    }
  }

  /** @throws {TypeError} If nothing can be changed any more. */
  assertWritable(verb: string): void {
    if (!this.destroyed && !this.closed) return;
    const state = this.destroyed
      ? "it was destroyed"
      : "the response was already made";
    throw new TypeError(`Cannot ${verb} session: ${state}`);
  }

  /** Notes a change. */
  apply(change: Change): void {
    applyChange(this.record, change);
    this.#changes.push(change);
  }

  /** Takes back that flash values were read; returns the keys of those. */
  undoReads(key: string | undefined): ReadonlySet<string> {
    const keys = new Set<string>();
    this.#changes = this.#changes.filter((change, index) => {
      // What is on its way to the store cannot be taken back.
      if (change.type !== "read" || index < this.#sent) return true;
      if ((key ?? change.key) !== change.key) return true;
      keys.add(change.key);
      return false;
    });
    return keys;
  }

  /** Makes the next save give the session another id. */
  rotateId(): void {
    if (this.#idChange === "keep") this.#idChange = "rotate";
  }

  /** Sets or removes the user, and renews the id. */
  logIn(
    userId: string | number | undefined,
    names: readonly string[] = [],
    authenticatedAt?: number,
  ): void {
    const now = this.#config.now();
    const expiresAt = now + this.#config.timeouts.absolute;
    const label = this.#label();
    const previous = this.record.userId;
    if (previous !== undefined && previous !== userId) {
      // One user's messages are none of another's business.
      this.#readFlash?.clear();
    }
    this.apply({
      type: "login",
      userId,
      now,
      authenticatedAt,
      expiresAt,
      label,
      names,
    });
    // Only a login begins a session where this one has ended meanwhile.
    this.#idChange = userId === undefined ? "rotate" : "login";
  }

  /** Ends the session at the next save. */
  destroy(): void {
    this.destroyed = true;
    this.readFlash.clear();
    this.#changes = [];
    this.#record = undefined;
  }

  /**
   * Saves for a handler: what `save` does, while there is a response to come.
   *
   * @throws {TypeError} If the response was made without what has changed.
   */
  async commit(): Promise<boolean> {
    const conflicts = this.#conflicts;
    while (this.#saving !== undefined) await this.#saving;
    // What this one was to save was dropped with what the one before has lost.
    if (this.#conflicts !== conflicts) throw new SessionConflictError("taken");
    // Nobody would learn of a new id any more.
    if (this.closed && this.#isChanged) {
      throw new TypeError(
        "Cannot commit session: the response was already made",
      );
    }
    return await this.save();
  }

  /**
   * Saves what has changed, one call after the other.
   *
   * @throws {SessionConflictError} If a value was taken by someone else.
   * @throws {SessionStoreError} If the store failed.
   * @returns Whether the session lives; `false` where it ended elsewhere.
   */
  async save(): Promise<boolean> {
    // Not by a function: that would let two begin at once.
    while (this.#saving !== undefined) await this.#saving;
    const saved = this.#save();
    this.#saving = saved.catch(() => {});
    try {
      return await saved;
    } finally {
      this.#saving = undefined;
    }
  }

  /** Waits until nothing is on its way to the store. */
  async waitForSave(): Promise<void> {
    while (this.#saving !== undefined) await this.#saving;
  }

  /** Forgets what was saved under an id that no response can hand out. */
  discard(): Promise<void> {
    return this.#driver.discard();
  }

  async #save(): Promise<boolean> {
    if (this.destroyed) {
      if (!this.#hasEnded) await this.#driver.end();
      this.#hasEnded = true;
      return true;
    }
    const begins = this.begins || this.#idChange === "login";
    if (this.#hasEnded && !begins) return false;
    if (!this.isDue) return true;
    const idChange = this.#idChange;
    const record = await this.#write(idChange, begins);
    this.#hasEnded = record === null;
    if (record === null) {
      const taken = this.#changes.findIndex(({ type }) => type === "take");
      if (taken < 0) return false;
      this.#dropFrom(taken);
      throw new SessionConflictError("ended");
    }
    if (this.#idChange === idChange) this.#idChange = "keep";
    // It may have been destroyed meanwhile.
    if (this.destroyed) return true;
    this.#record = record;
    for (const change of this.#changes) applyChange(record, change);
    return true;
  }

  /** Stores the changes; those added while the store is busy stay for later. */
  async #write(
    idChange: IdChange,
    begins: boolean,
  ): Promise<SessionRecord | null> {
    const count = this.#changes.length;
    this.#sent = count;
    try {
      const record = await this.#driver.write(
        (stored) => this.#changed(stored, count),
        idChange,
        begins,
      );
      if (record !== null) this.#changes = this.#changes.slice(count);
      return record;
    } finally {
      this.#sent = 0;
    }
  }

  /** Applies the first `count` changes to what is stored. */
  #changed(stored: SessionRecord | null, count: number): SessionRecord {
    const record = stored ?? this.#newRecord(this.#label());
    const lost = this.#changes.slice(0, count).findIndex((change) =>
      !applyChange(record, change)
    );
    if (lost >= 0) {
      this.#record = this.#dropFrom(lost) ? record : undefined;
      throw new SessionConflictError("taken");
    }
    record.seenAt = this.#config.now();
    return record;
  }

  /**
   * Drops the taking of a value that was lost, and what follows it, which may
   * rest upon it. A login does, wherever it stands, and all that comes with it.
   *
   * @returns Whether what comes before is still to be saved.
   */
  #dropFrom(index: number): boolean {
    this.#conflicts++;
    const before = this.#changes.slice(0, index);
    const isLogin = before.some((change) =>
      change.type === "login" && change.userId !== undefined
    );
    this.#changes = isLogin ? [] : before;
    if (this.#idChange === "login") this.#idChange = "keep";
    return !isLogin;
  }

  #newRecord(label: SessionLabel): SessionRecord {
    const { now, timeouts } = this.#config;
    return createRecord(now(), timeouts, label);
  }
}
