import { Server } from "../session/_browser.ts";
import { type Effort, onEachStore } from "./_report.ts";

/** The lifetime of a session without a login, in seconds. */
const LIFETIME = 5;

/** The number of requests at a time. */
const CONCURRENCY = 20;

/**
 * Creates sessions without a login for 60 seconds, as bots do. The store may keep
 * those of one lifetime, and a tenth more.
 */
export async function flood(effort: Effort): Promise<boolean> {
  const seconds = effort.quick ? 12 : 60;
  const head = ["sessions", "a second", "most kept", "bound"];
  return await onEachStore(head, effort, async ({ count, store }) => {
    // The memory store has a bound itself.
    if (count === undefined) return null;
    const server = new Server({
      store,
      timeouts: {
        idle: LIFETIME * 1000,
        absolute: 60 * 60 * 1000,
        anonymous: LIFETIME * 1000,
      },
      anonymousLimit: { perAddress: Infinity, total: Infinity },
    });
    const begun = performance.now();
    const passed = () => (performance.now() - begun) / 1000;
    /** The number of sessions that were created in each second. */
    const created: number[] = [];
    let most = 0;
    let bound = 0;
    const bots = Array.from({ length: CONCURRENCY }, async () => {
      while (passed() < seconds) {
        const response = await server.request((session) => {
          session.set("page", "/");
        });
        await response.body?.cancel();
        const second = Math.floor(passed());
        created[second] = (created[second] ?? 0) + 1;
      }
    });
    const counting = (async () => {
      while (passed() < seconds - 1) {
        await new Promise((resolve) => setTimeout(resolve, 1000));
        const kept = await count();
        // The rate changes: the busiest lifetime so far counts.
        const rate = busiest(created, LIFETIME + 1);
        bound = Math.max(bound, Math.ceil(rate * 1.1) + 100);
        most = Math.max(most, kept);
      }
    })();
    await Promise.all([...bots, counting]);
    const total = created.reduce((sum, each) => sum + (each ?? 0), 0);
    const broken = most > bound ? [`it keeps ${most} sessions`] : [];
    const rate = Math.round(total / seconds);
    return { cells: [total, rate, most, bound], broken };
  });
}

/** Returns the most sessions that were created within some seconds. */
function busiest(created: readonly number[], seconds: number): number {
  let most = 0;
  for (let start = 0; start < created.length; start++) {
    const part = created.slice(start, start + seconds);
    most = Math.max(most, part.reduce((sum, each) => sum + (each ?? 0), 0));
  }
  return most;
}
