import type {
  IdChange,
  SessionBegin,
  SessionConfig,
  SessionDriver,
} from "./drivers/driver.ts";
import { SessionConflictError, SessionLimitError } from "./errors.ts";
import {
  addMethods,
  type AuthMethodTimes,
  type JSONValue,
  MAX_RECORD_BYTES,
  RESERVED_PREFIX,
  type SessionLabel,
  type SessionRecord,
  stringify,
} from "./record.ts";
import type { LoginTimeouts } from "./timeouts.ts";

/**
 * One change to a session. A session saves its changes instead of its whole
 * content, so that concurrent requests do not overwrite each other's changes.
 */
export type Change =
  | {
    readonly type: "set" | "flash";
    readonly key: string;
    readonly text: string;
  }
  | { readonly type: "unset"; readonly key: string }
  | {
    readonly type: "update";
    readonly key: string;
    readonly change: (value: JSONValue | undefined) => unknown;
  }
  /** `text` is the value that was read. Another value stays in the session. */
  | {
    readonly type: "read" | "take";
    readonly key: string;
    readonly text: string;
  }
  /** The user's session continues with a new version of the credentials. */
  | { readonly type: "version"; readonly version: number }
  | Login;

/** The change of a login or a logout. */
export interface Login {
  readonly type: "login";
  readonly userId: string | number | undefined;
  readonly now: number;
  /** The time at which the user proved their identity, if it is not now. */
  readonly authenticatedAt: number | undefined;
  /** The methods by which the user proved their identity. */
  readonly methods: readonly string[];
  /** Methods that the user proved before this login, and their times. */
  readonly earlier: AuthMethodTimes | undefined;
  /** The version of the user's credentials. */
  readonly version: number | undefined;
  readonly expiresAt: number;
  /** The idle timeout, if the login has its own timeouts. */
  readonly idle: number | undefined;
  readonly label: SessionLabel;
  readonly names: readonly string[];
}

/** The user's proof of identity. */
export interface LoginProof {
  /** The time of the proof in epoch milliseconds, if it is not now. */
  readonly authenticatedAt?: number | undefined;
  /** The authentication methods, such as `pwd`. */
  readonly methods?: readonly string[];
  /** Methods that the user proved before this login, and their times. */
  readonly earlier?: AuthMethodTimes | undefined;
  /** The version of the user's credentials. */
  readonly version?: number | undefined;
  /** The timeouts of the login, instead of those of the middleware. */
  readonly timeouts?: Required<LoginTimeouts> | undefined;
}

/** The session that the changes belong to. */
interface ChangedSession {
  readonly record: SessionRecord;
  readonly setup: { readonly config: SessionConfig };
  /** Creates the record of a new session. */
  createRecord(): SessionRecord;
}

/** The changes of one request to its session, until they are saved. */
export class PendingChanges {
  /** The session with the changes applied, as the handler sees it. */
  record: SessionRecord;
  /** The way in which the next save changes the session's id. */
  idChange: IdChange = "keep";
  /** The flash values that were read. They last until the end of the request. */
  readonly readFlash: Map<string, JSONValue> = new Map();
  /** The number of conflicts, each of which has dropped changes. */
  conflicts = 0;
  /** `true` if the last save found that the session has ended. */
  hasEnded = false;
  readonly #session: ChangedSession;
  /** The keys of flash values that last for one more request. */
  readonly #keptFlash = new Set<string>();
  #changes: Change[] = [];
  /** The number of changes at the beginning that the store is saving now. */
  #sent = 0;

  constructor(session: ChangedSession) {
    this.#session = session;
    this.record = session.record;
  }

  /** `true` if there is nothing to save. */
  get isEmpty(): boolean {
    return this.#changes.length === 0 && this.idChange === "keep";
  }

  /**
   * Sets a value or a flash value.
   *
   * @throws {TypeError} If JSON cannot represent the value.
   * @throws {RangeError} If the value is larger than a session may be.
   */
  set(type: "set" | "flash", key: string, value: unknown): void {
    this.apply({ type, key, text: stringify(value, MAX_RECORD_BYTES) });
  }

  /** Applies a change to the record and remembers it for the next save. */
  apply(change: Change): void {
    const { type } = change;
    if (type !== "read" && "key" in change) this.readFlash.delete(change.key);
    if (type === "flash") this.#keptFlash.delete(change.key);
    applyChange(this.record, change);
    this.#changes.push(change);
  }

  /** Sets or removes the user. The next save changes the id. */
  logIn(
    userId: string | number | undefined,
    names: readonly string[] = [],
    { timeouts, methods = [], authenticatedAt, earlier, version }: LoginProof =
      {},
  ): void {
    const previous = this.record.userId;
    // A user must not see the messages of another user.
    if (previous !== undefined && previous !== userId) this.readFlash.clear();
    const created = this.#session.createRecord();
    const { createdAt: now, content } = created;
    const expiresAt = timeouts ? now + timeouts.absolute : created.expiresAt;
    const idle = timeouts?.idle;
    const times = { now, expiresAt, idle, authenticatedAt };
    const proof = { methods, earlier, version };
    const { label } = content;
    this.apply({ type: "login", userId, ...times, ...proof, label, names });
    this.idChange = userId === undefined ? "rotate" : "login";
  }

  /** Marks a flash value as read. The next save removes it unless it is kept. */
  markRead(key: string, value: JSONValue): void {
    if (this.#keptFlash.has(key)) return;
    this.readFlash.set(key, value);
    this.apply({ type: "read", key, text: stringify(value) });
  }

  /** Keeps one flash value, or all of them, for one more request. */
  keepFlash(key?: string): void {
    const unsent = this.#undoReads(key);
    for (const [name, value] of this.readFlash) {
      if ((key ?? name) !== name) continue;
      // A value that is still stored only becomes visible again. Another
      // request may have stored a newer one in the meantime.
      if (unsent.has(name)) this.record.content.flash.set(name, value);
      else this.apply({ type: "flash", key: name, text: stringify(value) });
      this.readFlash.delete(name);
    }
    for (const name of this.record.content.flash.keys()) {
      if ((key ?? name) === name) this.#keptFlash.add(name);
    }
  }

  /** Removes and returns a value. The save fails if another request took it. */
  take(key: string): JSONValue | undefined {
    const { flash, values } = this.record.content;
    const wasRead = this.#undoReads(key).has(key) && this.readFlash.has(key);
    const owner = wasRead ? this.readFlash : flash.has(key) ? flash : values;
    const value = owner.get(key);
    this.readFlash.delete(key);
    if (value !== undefined) {
      this.apply({ type: "take", key, text: stringify(value) });
    }
    return value;
  }

  /**
   * Saves the changes. Those that are added in the meantime wait for the next
   * save.
   *
   * @param canBegin The reason to begin a new session if this one has ended.
   * @returns `false` if the session has ended.
   * @throws {SessionConflictError} If a value was taken by another request.
   */
  async save(driver: SessionDriver, canBegin: SessionBegin): Promise<boolean> {
    const { idChange } = this;
    const count = this.#changes.length;
    this.#sent = count;
    const update = (stored: SessionRecord | null) => this.#apply(stored, count);
    if (idChange === "login") canBegin = "proved-user";
    let record;
    try {
      record = await driver.save(update, idChange, canBegin);
    } catch (error) {
      // The handler may show a page if a login is refused.
      if (error instanceof SessionLimitError && error.limit === "user") {
        this.#dropFrom(0);
        this.record = this.#session.createRecord();
      }
      throw error;
    } finally {
      this.#sent = 0;
    }
    this.hasEnded = record === null;
    if (record === null) {
      // Only a session that ended may drop changes silently.
      const isLost = ({ type }: Change) =>
        type === "take" || driver.hasMoved && type !== "read";
      const lost = this.#changes.findIndex(isLost);
      if (lost < 0) return false;
      this.#dropFrom(lost);
      throw new SessionConflictError("ended");
    }
    this.#changes = this.#changes.slice(count);
    if (this.idChange === idChange) this.idChange = "keep";
    for (const change of this.#changes) applyChange(record, change);
    this.record = record;
    return true;
  }

  /** Applies the first changes to the stored record. */
  #apply(stored: SessionRecord | null, count: number): SessionRecord {
    const record = stored ?? this.#session.createRecord();
    for (let index = 0; index < count; index++) {
      if (applyChange(record, this.#changes[index]!)) continue;
      const isKept = this.#dropFrom(index);
      this.record = isKept ? record : this.#session.createRecord();
      throw new SessionConflictError("taken");
    }
    record.seenAt = this.#session.setup.config.now();
    return record;
  }

  /**
   * Drops a `take` that failed and the changes after it, which may depend on it.
   * A login may depend on it too, so it is dropped with all other changes.
   *
   * @returns `true` if the changes before it are still to be saved.
   */
  #dropFrom(index: number): boolean {
    this.conflicts++;
    const before = this.#changes.slice(0, index);
    const isLogin = before.some((change) =>
      change.type === "login" && change.userId !== undefined
    );
    this.#changes = isLogin ? [] : before;
    if (this.idChange === "login") this.idChange = "keep";
    return !isLogin;
  }

  /** Removes the reads that no save has sent yet, and returns their keys. */
  #undoReads(key: string | undefined): ReadonlySet<string> {
    const keys = new Set<string>();
    this.#changes = this.#changes.filter((change, index) => {
      if (change.type !== "read" || index < this.#sent) return true;
      if ((key ?? change.key) !== change.key) return true;
      keys.add(change.key);
      return false;
    });
    return keys;
  }
}

/** Applies a change. Returns `false` if a value to take is missing. */
function applyChange(record: SessionRecord, change: Change): boolean {
  const { flash, values } = record.content;
  switch (change.type) {
    case "set":
      values.set(change.key, JSON.parse(change.text));
      flash.delete(change.key);
      return true;
    case "flash":
      flash.set(change.key, JSON.parse(change.text));
      return true;
    case "unset":
      values.delete(change.key);
      flash.delete(change.key);
      return true;
    case "read":
      removeIfUnchanged(flash, change.key, change.text);
      return true;
    case "update":
      values.set(
        change.key,
        JSON.parse(stringify(change.change(values.get(change.key)))),
      );
      flash.delete(change.key);
      return true;
    case "take":
      return removeIfUnchanged(flash, change.key, change.text) ||
        removeIfUnchanged(values, change.key, change.text);
    case "version":
      record.version = change.version;
      return true;
    case "login":
      applyLogin(record, change);
      return true;
  }
}

function removeIfUnchanged(
  map: Map<string, JSONValue>,
  key: string,
  text: string,
): boolean {
  return map.has(key) && JSON.stringify(map.get(key)) === text &&
    map.delete(key);
}

function applyLogin(record: SessionRecord, login: Login): void {
  const { content, userId: previous } = record;
  const { flash, values } = content;
  if (previous !== undefined && previous !== login.userId) {
    // A user must not see the values of another user.
    values.clear();
    flash.clear();
  }
  for (const key of values.keys()) {
    if (key.startsWith(RESERVED_PREFIX)) values.delete(key);
  }
  record.userId = login.userId;
  const authenticatedAt = login.authenticatedAt ?? login.now;
  const isLogout = login.userId === undefined;
  record.authenticatedAt = isLogout ? undefined : authenticatedAt;
  // A password that is confirmed later does not undo the second factor.
  const own = previous === login.userId ? record.methods : undefined;
  const earlier = latestOf(login.earlier, own);
  record.methods = isLogout
    ? undefined
    : addMethods(earlier, login.methods, authenticatedAt);
  record.version = previous === login.userId
    ? login.version ?? record.version
    : login.version;
  record.createdAt = login.now;
  // A password that is confirmed later does not change the timeouts either.
  const keepsTimeouts = login.idle === undefined &&
    record.idle !== undefined && previous === login.userId;
  if (!keepsTimeouts) {
    record.expiresAt = login.expiresAt;
    record.idle = login.idle;
  }
  content.label = login.label;
  // The names identify a login at a provider. They stay valid if the user then
  // confirms the password.
  if (previous !== login.userId || login.names.length > 0) {
    content.names = login.names;
  }
}

/** Returns the latest time of each method, or `undefined` without any times. */
function latestOf(
  one: Readonly<Record<string, number>> | undefined,
  other: Readonly<Record<string, number>> | undefined,
): Record<string, number> | undefined {
  if (one === undefined && other === undefined) return undefined;
  const latest = { ...one };
  for (const [method, time] of Object.entries(other ?? {})) {
    latest[method] = Math.max(time, latest[method] ?? time);
  }
  return latest;
}
