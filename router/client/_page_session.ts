// Asks for the session at the right times, and notifies the page and other tabs.

import type { SessionState, SessionWindow } from "./session_state.ts";

/** The name of the channel. Its messages contain nothing about the user. */
const CHANNEL = "gatehouse-session";

/** The requests that may be sent at once. */
const BURST = 5;

/** After a burst, the time between requests, in milliseconds. */
export const PERIOD = 10_000;

/** The age of an answer that is good enough when the page is shown. */
const FRESH = 5_000;

/** The limit of a request. Another one would otherwise wait for it forever. */
const TIMEOUT = 30_000;

/** The mean time until a failed request is repeated. */
const RETRY = 30_000;

type Listener<Session> = (session: Session | null | undefined) => void;

/** Returns the session, or `undefined` if the answer is unknown. */
type Load<Session> = (
  signal: AbortSignal,
) => Promise<Session | null | undefined>;

/** The state of a page. */
export class PageSession<Session> implements SessionState<Session> {
  readonly #load: Load<Session>;
  readonly #pollInterval: number | undefined;
  readonly #window: SessionWindow | null;
  /** Each has an object, because a function may subscribe twice. */
  readonly #listeners = new Set<{
    readonly listener: Listener<Session>;
  }>();
  #session: Session | null | undefined;
  /** The request under way, and the one that follows it. */
  #current: Promise<void> | undefined;
  #following: Promise<void> | undefined;
  /** The time of the last request. */
  #askedAt = -Infinity;
  /** The time at which requests without a burst would be allowed. */
  #allowedAt = -Infinity;
  /** `true` if the session may have changed since the last request. */
  #isStale = false;
  #timer: number | undefined;
  #channel: InstanceType<SessionWindow["BroadcastChannel"]> | undefined;
  #listening: AbortController | undefined;

  constructor(
    load: Load<Session>,
    pollInterval: number | undefined,
    window: SessionWindow | null,
  ) {
    this.#load = load;
    this.#pollInterval = pollInterval;
    this.#window = window;
  }

  readonly get = (): Session | null | undefined => this.#session;

  readonly subscribe = (
    listener: Listener<Session>,
  ): () => void => {
    const window = this.#window;
    const entry = { listener };
    // A server renders many pages, and would keep the listener of each.
    if (window) {
      this.#listeners.add(entry);
      if (this.#listeners.size === 1) this.#start(window);
    }
    listener(this.#session);
    return () => {
      if (this.#listeners.delete(entry) && !this.#listeners.size) this.#stop();
    };
  };

  readonly refresh = (): Promise<void> => {
    const window = this.#window;
    if (!window) return Promise.resolve();
    if (this.#current) {
      // The server may have answered the current request before the login.
      return this.#following ??= this.#current.then(() => {
        this.#following = undefined;
        return this.refresh();
      });
    }
    return this.#current = this.#ask(window)
      .finally(() => this.#current = undefined);
  };

  readonly reportUnauthorized = (): void => {
    // The 401 of the current request itself must not cause the next one.
    if (this.#session !== null && !this.#current) this.#invalidate();
  };

  #start(window: SessionWindow): void {
    const { signal } = this.#listening = new AbortController();
    const check = () => this.#check();
    window.document.addEventListener("visibilitychange", check, { signal });
    for (const type of ["focus", "online", "pageshow"]) {
      window.addEventListener(type, check, { signal });
    }
    this.#channel = new window.BroadcastChannel(CHANNEL);
    this.#channel.onmessage = ({ data }) => this.#receive(data);
    if (this.#session !== undefined) this.#check();
    else if (!this.#current) void this.refresh();
  }

  #stop(): void {
    this.#listening?.abort();
    this.#channel?.close();
    this.#channel = undefined;
    this.#window?.clearTimeout(this.#timer);
  }

  /** Asks the server if the page is visible and the last answer is too old. */
  #check(): void {
    if (this.#window?.document.visibilityState !== "visible") return;
    const age = this.#window.performance.now() - this.#askedAt;
    if (this.#isStale || age >= FRESH) void this.refresh();
  }

  /** Asks the server now, or when the page is shown. */
  #invalidate(): void {
    this.#isStale = true;
    this.#check();
  }

  /** Reads the message of another tab. */
  #receive(message: unknown): void {
    if (message === summaryOf(this.#session)) return;
    const isHidden = this.#window?.document.visibilityState !== "visible";
    // After a logout, no tab should show the user's data, even offline. A visible
    // page asks first, because the message may be older than a login.
    if (isHidden && message === "logged out") this.#set(null);
    this.#invalidate();
  }

  async #ask(window: SessionWindow): Promise<void> {
    this.#isStale = false;
    this.#askedAt = window.performance.now();
    window.clearTimeout(this.#timer);
    await this.#turn(window);
    const session = await this.#read(window);
    if (session === undefined) {
      this.#isStale = true;
      // Pages must not ask a server at the same time when it is back.
      this.#schedule(window, RETRY * (0.5 + Math.random()));
      return;
    }
    if (this.#pollInterval) this.#schedule(window, this.#pollInterval);
    if (isEqual(session, this.#session)) return;
    const isSwitch = this.#session && session;
    this.#channel?.postMessage(isSwitch ? "changed" : summaryOf(session));
    this.#set(session);
  }

  /** Waits until one more request is allowed. */
  async #turn(window: SessionWindow): Promise<void> {
    const now = window.performance.now();
    const start = Math.max(now, this.#allowedAt - (BURST - 1) * PERIOD);
    this.#allowedAt = Math.max(now, this.#allowedAt) + PERIOD;
    if (start > now) {
      await new Promise<void>((resolve) =>
        window.setTimeout(resolve, start - now)
      );
    }
  }

  /** Reads the session within the limit. */
  async #read(window: SessionWindow): Promise<Session | null | undefined> {
    const controller = new AbortController();
    const { promise: timeout, resolve } = Promise.withResolvers<undefined>();
    const timer = window.setTimeout(() => {
      controller.abort();
      resolve(undefined);
    }, TIMEOUT);
    try {
      return await Promise.race([this.#load(controller.signal), timeout]);
    } catch {
      return undefined;
    } finally {
      window.clearTimeout(timer);
    }
  }

  #schedule(window: SessionWindow, time: number): void {
    if (!this.#listeners.size) return;
    this.#timer = window.setTimeout(() => this.#invalidate(), time);
  }

  #set(session: Session | null): void {
    this.#session = session;
    for (const { listener } of [...this.#listeners]) listener(session);
  }
}

function summaryOf(session: unknown): string {
  return session ? "logged in" : "logged out";
}

/** Compares JSON values. Other objects are never equal. */
function isEqual(one: unknown, other: unknown): boolean {
  if (one === other) return true;
  if (!isJSON(one) || !isJSON(other)) return false;
  const entries = Object.entries(one);
  return Array.isArray(one) === Array.isArray(other) &&
    entries.length === Object.keys(other).length &&
    entries.every(([key, value]) =>
      Object.hasOwn(other, key) && isEqual(value, other[key])
    );
}

function isJSON(value: unknown): value is Record<string, unknown> {
  return Array.isArray(value) ||
    typeof value === "object" && value !== null &&
      Object.getPrototypeOf(value) === Object.prototype;
}
