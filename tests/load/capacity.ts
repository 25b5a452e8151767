import type { SessionStore } from "@gatehouse/web/session";
import { Browser, Server } from "../session/_browser.ts";
import { type Effort, milliseconds, onEachStore, quantile } from "./_report.ts";

/**
 * Measures what docs/capacity.md tells: the store calls of a request, the bytes
 * of a session, and the time of a request by the number of sessions.
 */
export async function capacity(effort: Effort): Promise<boolean> {
  const sizes = effort.quick ? [100, 300] : [1_000, 10_000, 100_000];
  const head = [
    "calls: visit, read, write, login, logout",
    "bytes of a session",
    ...sizes.map((size) => `read, write at ${size}`),
  ];
  return await onEachStore(head, effort, async ({ bytes, store }, name) => {
    const calls = await countCalls(store);
    const server = new Server({ store });
    const before = await bytes?.() ?? 0;
    const times: string[] = [];
    let made = 0;
    let last: Browser | undefined;
    for (const size of sizes) {
      // One statement at a time over HTTP takes too long for more.
      if (name === "D1" && size > 10_000) break;
      for (; made < size; made += 100) {
        const users = Array.from({ length: 100 }, () => new Browser(server));
        await Promise.all(users.map((user, n) =>
          user.visit((session) => {
            session.set("userId", made + n);
            session.set("cart", ["sku-1", "sku-2", "sku-3"]);
          })
        ));
        last = users[0];
      }
      const read = await medianOf(() => last!.visit((each) => each.userId));
      const write = await medianOf(() =>
        last!.visit((each) => each.set("now", performance.now()))
      );
      times.push(`${milliseconds(read)}, ${milliseconds(write)}`);
    }
    const after = await bytes?.() ?? 0;
    const each = bytes ? Math.round((after - before) / made) : "–";
    return { cells: [calls, each, ...times], broken: [] };
  });
}

async function medianOf(run: () => Promise<unknown>): Promise<number> {
  const times: number[] = [];
  for (let count = 0; count < 100; count++) {
    const begun = performance.now();
    await run();
    times.push(performance.now() - begun);
  }
  return quantile(times.sort((a, b) => a - b), 0.5);
}

/** Counts the calls of the store during each kind of request. */
async function countCalls(store: SessionStore): Promise<string> {
  let calls = 0;
  const counted = new Proxy(store, {
    get(target, key) {
      const value = Reflect.get(target, key);
      return typeof value !== "function" ? value : (...args: unknown[]) => {
        calls++;
        return value.apply(target, args);
      };
    },
  });
  const browser = new Browser(new Server({ store: counted }));
  const counts: number[] = [];
  const during = async (run: () => Promise<unknown>) => {
    calls = 0;
    await run();
    counts.push(calls);
  };
  await during(() => browser.visit((session) => session.get("cart")));
  await browser.visit((session) => session.set("cart", []));
  await during(() => browser.visit((session) => session.get("cart")));
  await during(() => browser.visit((session) => session.set("cart", [1])));
  await during(() => browser.visit((session) => session.set("userId", 7)));
  await during(() => browser.visit((session) => session.destroy()));
  return counts.join(", ");
}
