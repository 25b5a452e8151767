/** SessionObject with a storage in memory, if its alarm comes late or never. */
import {
  createDurableObjectSessionStore,
  type DurableObjectStorage,
  SessionObject,
} from "@gatehouse/web/session/cloudflare";
import { testSessionStore } from "@gatehouse/web/testing";
import { assert, assertEquals, assertRejects } from "@std/assert";
import { until } from "../../_wait.ts";

const kit = testSessionStore(() =>
  createDurableObjectSessionStore(new Namespace())
);
for (const { name, run } of kit) {
  Deno.test(`createDurableObjectSessionStore() without alarms: ${name}`, run);
}

Deno.test("SessionObject sets its alarm to the first expiry", async () => {
  const namespace = new Namespace();
  const store = createDurableObjectSessionStore(namespace);
  const begun = Date.now();
  const index = ["user:7"];
  await store.put("a", "one", { ttl: 60_000, ifVersion: null, index });
  await store.put("b", "one", { ttl: 1_000, ifVersion: null, index });
  await store.put("c", "one", { ttl: 30_000, ifVersion: null, index });
  const { alarm } = namespace.storage("index:user:7");
  assert(alarm! >= begun + 1_000 && alarm! < begun + 10_000, String(alarm));

  const { version } = (await store.get("a"))!;
  await store.put("a", "two", { ttl: 1_000, ifVersion: version });
  const value = namespace.storage("value:a").alarm;
  assert(value! > begun && value! < begun + 30_000, String(value));
});

Deno.test("SessionObject returns nothing but the value and its version", async () => {
  const store = createDurableObjectSessionStore(new Namespace());
  const index = ["user:7"];
  await store.put("a", "one", { ttl: 60_000, ifVersion: null, index });
  const found = await store.get("a");
  assertEquals(Object.keys(found!).sort(), ["value", "version"]);
});

Deno.test("SessionObject.alarm() removes only expired values and sets the next alarm", async () => {
  const namespace = new Namespace();
  const store = createDurableObjectSessionStore(namespace);
  const options = { ifVersion: null, index: ["user:7"] };
  // More than a runtime removes in one call.
  for (let n = 0; n < 150; n++) {
    await store.put(`brief${n}`, "one", { ...options, ttl: 1 });
  }
  await store.put("lasting", "one", { ...options, ttl: 60_000 });
  await until(async () => await store.get("brief149") === null);
  const index = namespace.storage("index:user:7");
  const begun = Date.now();
  await namespace.wake("index:user:7");
  assertEquals([...index.entries.keys()], ["key:lasting"]);
  assert(index.alarm! > begun + 30_000, String(index.alarm));
  assertEquals(await store.byIndex!("user:7"), ["lasting"]);

  // An early alarm removes nothing.
  await namespace.wake("value:lasting");
  assertEquals((await store.get("lasting"))?.value, "one");
  assert(namespace.storage("value:lasting").alarm! > begun + 30_000);

  await namespace.wake("value:brief0");
  assertEquals(namespace.storage("value:brief0").entries.size, 0);
});

Deno.test("createDurableObjectSessionStore() finds a key until it expires, also after a failed put()", async () => {
  const store = createDurableObjectSessionStore(new Namespace());
  const options = { ifVersion: null, index: ["user:7"] };
  assert(await store.put("a", "one", { ...options, ttl: 60_000 }));
  assertEquals(await store.put("a", "two", { ...options, ttl: 1 }), false);
  // The failed one would expire.
  const failed = Date.now();
  await until(() => Date.now() > failed + 1);
  assertEquals(await store.byIndex!("user:7"), ["a"]);
});

Deno.test("createDurableObjectSessionStore() rejects if an object fails", async () => {
  const store = createDurableObjectSessionStore({
    idFromName: (name) => name,
    get: () => ({
      fetch: () => Promise.resolve(Response.json(null, { status: 500 })),
    }),
  });
  await assertRejects(async () => await store.get("a"), Error, "500");
  await assertRejects(async () => await store.delete("a"), Error, "500");
});

/** A namespace in which tests run the alarms. */
class Namespace {
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

class Storage implements DurableObjectStorage {
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
