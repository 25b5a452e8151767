import { assertEquals } from "@std/assert";
import type { JSONValue, Session } from "@gatehouse/web/session";
import type { SessionOptions } from "@gatehouse/web/session-middleware";
import { Browser, Server } from "./_browser.ts";
import { seededRandom } from "../runtimes/random.ts";

/** The number of random histories. The seed of each decides the calls. */
const HISTORIES = 400;

const KEYS = ["a", "b"];

/** Values to store, including falsy ones. */
const VALUES: readonly JSONValue[] = [0, "", false, 1, "text", { b: 2 }];

const storages: Record<string, SessionOptions> = {
  "a store": {},
  "a store, read lazily": { lazy: true },
  "a cookie": { secrets: ["a secret of more than thirty-two characters"] },
};

for (const [storage, options] of Object.entries(storages)) {
  Deno.test(`Session in ${storage} matches its model for any order of calls`, async () => {
    for (let seed = 1; seed <= HISTORIES; seed++) {
      const random = seededRandom(seed);
      const browser = new Browser(new Server(options));
      const model = new Model();
      for (let request = 0; request < 4; request++) {
        const log: string[] = [`${storage}, history ${seed}`];
        await browser.visit(async (session) => {
          await session.load();
          model.begin();
          for (let count = Math.floor(random() * 16); count > 0; count--) {
            await callRandomMethod(session, model, random, log);
            compare(session, model, log);
          }
        });
      }
    }
  });
}

/** Calls a random method of the session and of its model. */
async function callRandomMethod(
  session: Session,
  model: Model,
  random: () => number,
  log: string[],
): Promise<void> {
  const pick = <Value>(values: readonly Value[]) =>
    values[Math.floor(random() * values.length)];
  const [name, key] = [pick(ACTIONS), pick(KEYS)];
  const value = pick(VALUES);
  log.push(`${name} ${key} ${JSON.stringify(value)}`);
  switch (name) {
    case "get":
      return assertEquals(session.get(key), model.get(key), log.join("\n"));
    case "take":
      return assertEquals(session.take(key), model.take(key), log.join("\n"));
    case "set":
      session.set(key, value);
      return model.set(key, value);
    case "update":
      session.update(key, wrap);
      return model.update(key, wrap);
    case "flash":
      // An array, to distinguish it from a value of the same key.
      session.flash(key, [value]);
      return model.flash(key, [value]);
    case "unset":
      session.unset(key);
      return model.unset(key);
    case "keep":
      session.keep(key);
      return model.keep([key]);
    case "keep all":
      session.keep();
      return model.keep(KEYS);
    case "commit":
      model.commit();
      return await session.commit();
    case "login":
      // Only before any read: values that a request has read stay visible.
      if (model.isUsed) return;
      session.set("userId", 1 + KEYS.indexOf(key));
      return model.logIn(1 + KEYS.indexOf(key));
    case "logout":
      if (model.isUsed) return;
      session.unset("userId");
      return model.logIn(undefined);
  }
}

const ACTIONS = [
  ...["get", "get", "take", "set", "flash", "flash", "unset", "keep"],
  "update",
  ...["keep all", "commit", "login", "logout"],
] as const;

/** Returns an object that shows the value it was called with. */
function wrap(value: JSONValue | undefined): JSONValue {
  return { of: value ?? null };
}

/** Compares the session with its model by methods that change nothing. */
function compare(session: Session, model: Model, log: string[]): void {
  assertEquals(
    [session.userId, ...KEYS.map((key) => session.has(key))],
    [model.userId, ...KEYS.map((key) => model.has(key))],
    log.join("\n"),
  );
}

/** A model of the documented behavior of a session without concurrent requests. */
class Model {
  userId: number | undefined;
  isUsed = false;
  readonly #values = new Map<string, JSONValue>();
  readonly #flash = new Map<string, JSONValue>();
  /** Flash values that this request has read. */
  readonly #shown = new Map<string, JSONValue>();
  /** The keys of those that keep() cannot restore. */
  readonly #spent = new Set<string>();
  readonly #kept = new Set<string>();

  begin(): void {
    this.#shown.clear();
    this.#spent.clear();
    this.#kept.clear();
    this.isUsed = false;
  }

  has(key: string): boolean {
    return [this.#values, this.#flash, this.#shown].some((map) => map.has(key));
  }

  get(key: string): JSONValue | undefined {
    this.isUsed = true;
    const value = this.#flash.get(key);
    if (value === undefined) {
      return this.#shown.get(key) ?? this.#values.get(key);
    }
    if (this.#kept.has(key)) return value;
    this.#flash.delete(key);
    this.#spent.delete(key);
    this.#shown.set(key, value);
    return value;
  }

  set(key: string, value: JSONValue): void {
    this.unset(key);
    this.#values.set(key, value);
  }

  update(
    key: string,
    change: (value: JSONValue | undefined) => JSONValue,
  ): void {
    this.set(key, change(this.#values.get(key)));
  }

  flash(key: string, value: JSONValue): void {
    this.#shown.delete(key);
    this.#kept.delete(key);
    this.#flash.set(key, value);
  }

  unset(key: string): void {
    this.isUsed = true;
    for (const map of [this.#values, this.#flash, this.#shown]) map.delete(key);
  }

  keep(keys: readonly string[]): void {
    this.isUsed = true;
    for (const key of keys) {
      const shown = this.#shown.get(key);
      if (shown !== undefined) this.#flash.set(key, shown);
      this.#shown.delete(key);
      if (this.#flash.has(key)) this.#kept.add(key);
    }
  }

  take(key: string): JSONValue | undefined {
    this.isUsed = true;
    const shown = this.#spent.has(key) ? undefined : this.#shown.get(key);
    this.#shown.delete(key);
    if (shown !== undefined) return shown;
    const map = this.#flash.has(key) ? this.#flash : this.#values;
    const value = map.get(key);
    map.delete(key);
    return value;
  }

  commit(): void {
    for (const key of this.#shown.keys()) this.#spent.add(key);
  }

  logIn(userId: number | undefined): void {
    if (this.userId === userId) return;
    if (this.userId !== undefined) {
      this.#values.clear();
      this.#flash.clear();
    }
    this.userId = userId;
  }
}
