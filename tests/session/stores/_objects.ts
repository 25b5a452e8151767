import {
  type DurableObjectStorage,
  SessionObject,
} from "@gatehouse/web/session/cloudflare";

/** A namespace in which tests run the alarms. */
export class Namespace {
  readonly #objects = new Map<string, [Storage, SessionObject]>();
  readonly #busy = new Map<string, Promise<unknown>>();

  idFromName(name: string): string {
    return name;
  }

  get(name: string) {
    return {
      fetch: (url: string, init: RequestInit) =>
        this.#alone(name, (o) => o.fetch(new Request(url, init))),
    };
  }

  storage(name: string): Storage {
    return this.#open(name)[0];
  }

  wake(name: string): Promise<void> {
    this.storage(name).alarm = null;
    return this.#alone(name, (object) => object.alarm());
  }

  /** Runs one request at a time, as with the input gates of the runtime. */
  #alone<Value>(
    name: string,
    run: (object: SessionObject) => Promise<Value>,
  ): Promise<Value> {
    const [, object] = this.#open(name);
    const before = this.#busy.get(name) ?? Promise.resolve();
    const done = before.then(() => run(object));
    this.#busy.set(name, done.catch(() => {}));
    return done;
  }

  #open(name: string): [Storage, SessionObject] {
    let opened = this.#objects.get(name);
    if (opened === undefined) {
      const storage = new Storage();
      opened = [storage, new SessionObject({ storage })];
      this.#objects.set(name, opened);
    }
    return opened;
  }
}

export class Storage implements DurableObjectStorage {
  readonly entries = new Map<string, unknown>();
  alarm: number | null = null;

  get(key: string) {
    return Promise.resolve(this.entries.get(key));
  }

  put(key: string, value: unknown) {
    this.entries.set(key, structuredClone(value));
    return Promise.resolve();
  }

  delete(keys: string[]) {
    if (keys.length > 128) return Promise.reject(new Error("Too many keys"));
    for (const key of keys) this.entries.delete(key);
    return Promise.resolve();
  }

  deleteAll() {
    this.entries.clear();
    return Promise.resolve();
  }

  list({ prefix }: { prefix: string }) {
    return Promise.resolve(
      new Map([...this.entries].filter(([key]) => key.startsWith(prefix))),
    );
  }

  getAlarm() {
    return Promise.resolve(this.alarm);
  }

  setAlarm(time: number) {
    this.alarm = time;
    return Promise.resolve();
  }
}
