import type { Backing, MakeLabel, Renewal, SessionConfig } from "./_backing.ts";
import { SessionConflictError } from "./errors.ts";
import type { JSONValue } from "./json.ts";
import { applyOperation, type Operation } from "./_operation.ts";
import {
  createRecord,
  idleTimeout,
  type SessionLabel,
  type SessionRecord,
} from "./_record.ts";

/** A session's changes, and what is to become of them. */
export class Journal {
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
  readonly #backing: Backing;
  readonly #config: SessionConfig;
  readonly #label: MakeLabel;
  // Made when first asked for, which most requests never do.
  #shown: Map<string, JSONValue> | undefined;
  #kept: Set<string> | undefined;
  #view: SessionRecord | undefined;
  #operations: Operation[] = [];
  /** How many of them, the first, are on their way to the store. */
  #sent = 0;
  #renewal: Renewal = "none";
  #isGone = false;
  /** How often a value that was taken turned out to be lost. */
  #losses = 0;
  #loading: Promise<void> | undefined;
  #saving: Promise<unknown> | undefined;

  constructor(backing: Backing, config: SessionConfig, label: MakeLabel) {
    this.#backing = backing;
    this.#config = config;
    this.#label = label;
  }

  /** The id that the session is stored under; empty while it is not. */
  get id(): string {
    return this.#backing.id;
  }

  /** Flash values that were read: they last for this request. */
  get shown(): Map<string, JSONValue> {
    return this.#shown ??= new Map();
  }

  /** The keys of flash values that last for another request. */
  get kept(): Set<string> {
    return this.#kept ??= new Set();
  }

  /** The content as the handler sees it, with the changes applied. */
  get view(): SessionRecord {
    return this.#view ??= this.#newRecord({});
  }

  /** Whether saving is of use only if the browser gets a cookie. */
  get needsCookie(): boolean {
    return this.#backing.isInCookies || this.#renewal !== "none" ||
      this.id === "";
  }

  /** Whether there is anything to save: a change, or an old time of last use. */
  get isDue(): boolean {
    if (this.#isChanged) return true;
    if (this.destroyed || !this.accessed || this.id === "") return false;
    const unseen = this.#config.now() - this.view.seenAt;
    return unseen >= idleTimeout(this.view, this.#config.timeouts) / 4;
  }

  get #isChanged(): boolean {
    if (this.destroyed) return !this.#isGone;
    return this.#operations.length > 0 || this.#renewal !== "none";
  }

  /** Opens the session that the cookies lead to, if there is one. */
  load(header: string | null): Promise<void> {
    return this.#loading ??= this.#open(header);
  }

  async #open(header: string | null): Promise<void> {
    try {
      this.#view = await this.#backing.open(header) ?? undefined;
      this.isLoaded = true;
    } catch (error) {
      // A store that failed may answer the next one who asks.
      this.#loading = undefined;
      throw error;
    }
  }

  /** @throws {TypeError} If nothing can be changed any more. */
  demandWritable(verb: string): void {
    if (!this.destroyed && !this.closed) return;
    const state = this.destroyed
      ? "it was destroyed"
      : "the response was already made";
    throw new TypeError(`Cannot ${verb} session: ${state}`);
  }

  /** Notes a change. */
  add(operation: Operation): void {
    applyOperation(this.view, operation);
    this.#operations.push(operation);
  }

  /** Takes back that flash values were read; returns the keys of those. */
  withdrawReads(key: string | undefined): ReadonlySet<string> {
    const keys = new Set<string>();
    this.#operations = this.#operations.filter((operation, index) => {
      // What is on its way to the store cannot be taken back.
      if (operation.type !== "read" || index < this.#sent) return true;
      if ((key ?? operation.key) !== operation.key) return true;
      keys.add(operation.key);
      return false;
    });
    return keys;
  }

  /** Makes the next save give the session another id. */
  renew(deleteOld: boolean): void {
    if (deleteOld && this.#renewal !== "login") this.#renewal = "move";
    if (!deleteOld && this.#renewal === "none") this.#renewal = "copy";
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
    const previous = this.view.userId;
    if (previous !== undefined && previous !== userId) {
      // One user's messages are none of another's business.
      this.#shown?.clear();
    }
    this.add({
      type: "login",
      userId,
      now,
      authenticatedAt,
      expiresAt,
      label,
      names,
    });
    // Only a login begins a session where this one has ended meanwhile.
    this.#renewal = userId === undefined ? "move" : "login";
  }

  /** Ends the session at the next save. */
  destroy(): void {
    this.destroyed = true;
    this.shown.clear();
    this.#operations = [];
    this.#view = undefined;
  }

  /**
   * Saves for a handler: what `save` does, while there is a response to come.
   *
   * @throws {TypeError} If the response was made without what has changed.
   */
  async commit(): Promise<boolean> {
    const losses = this.#losses;
    while (this.#saving !== undefined) await this.#saving;
    // What this one was to save was dropped with what the one before has lost.
    if (this.#losses !== losses) throw new SessionConflictError("taken");
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
  async idle(): Promise<void> {
    while (this.#saving !== undefined) await this.#saving;
  }

  /** Forgets what was saved under an id that no response can hand out. */
  abandon(): Promise<void> {
    return this.#backing.abandon();
  }

  async #save(): Promise<boolean> {
    if (this.destroyed) {
      if (!this.#isGone) await this.#backing.end();
      this.#isGone = true;
      return true;
    }
    const begins = this.begins || this.#renewal === "login";
    if (this.#isGone && !begins) return false;
    if (!this.isDue) return true;
    const renewal = this.#renewal;
    const record = await this.#write(renewal, begins);
    this.#isGone = record === null;
    if (record === null) {
      const taken = this.#operations.findIndex(({ type }) => type === "take");
      if (taken < 0) return false;
      this.#drop(taken);
      throw new SessionConflictError("ended");
    }
    if (this.#renewal === renewal) this.#renewal = "none";
    // It may have been destroyed meanwhile.
    if (this.destroyed) return true;
    this.#view = record;
    for (const operation of this.#operations) applyOperation(record, operation);
    return true;
  }

  /** Stores the changes; those added while the store is busy stay for later. */
  async #write(
    renewal: Renewal,
    begins: boolean,
  ): Promise<SessionRecord | null> {
    const count = this.#operations.length;
    this.#sent = count;
    try {
      const record = await this.#backing.write(
        (stored) => this.#changed(stored, count),
        renewal,
        begins,
      );
      if (record !== null) this.#operations = this.#operations.slice(count);
      return record;
    } finally {
      this.#sent = 0;
    }
  }

  /** Applies the first `count` changes to what is stored. */
  #changed(stored: SessionRecord | null, count: number): SessionRecord {
    const record = stored ?? this.#newRecord(this.#label());
    const lost = this.#operations.slice(0, count).findIndex((operation) =>
      !applyOperation(record, operation)
    );
    if (lost >= 0) {
      this.#view = this.#drop(lost) ? record : undefined;
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
  #drop(index: number): boolean {
    this.#losses++;
    const before = this.#operations.slice(0, index);
    const isLogin = before.some((operation) =>
      operation.type === "login" && operation.userId !== undefined
    );
    this.#operations = isLogin ? [] : before;
    if (this.#renewal === "login") this.#renewal = "none";
    return !isLogin;
  }

  #newRecord(label: SessionLabel): SessionRecord {
    const { now, timeouts } = this.#config;
    return createRecord(now(), timeouts, label);
  }
}
