import { Browser, Server } from "../session/_browser.ts";
import {
  type Effort,
  milliseconds,
  onEachStore,
  quantile,
  sleep,
} from "./_report.ts";

const BROWSERS = 50;

/**
 * Stops the server of a store for 30 seconds, while 50 users send requests. They
 * must fail fast, and may not log any user out.
 */
export async function outage(effort: Effort): Promise<boolean> {
  const time = effort.quick ? 3_000 : 30_000;
  const head = ["requests", "p50", "p99", "logged out"];
  return await onEachStore(head, effort, async ({ server, store }, name) => {
    if (server === undefined) return null;
    const application = new Server(
      { store, storeTimeout: 500 },
      () => new Response(null, { status: 503 }),
    );
    const entrance = new Server({ store });
    const users = await Promise.all(
      Array.from({ length: BROWSERS }, async () => {
        const browser = new Browser(entrance);
        await browser.visit((session) => session.set("userId", 7));
        if (browser.response.status !== 200) throw new Error("No login");
        return new Browser(application, browser.cookies);
      }),
    );
    // postgres.js resolves shortly before a commit is on disk, see
    // docs/choose_a_session_store.md. A crash could lose the logins.
    await sleep(500);
    // Redis does not respond, and PostgreSQL refuses connections.
    if (name === "Redis") server.freeze(true);
    else await server.crash();
    const times = await visitFor(time, users);
    if (name === "Redis") server.freeze(false);
    else await server.restart();
    let lost = 0;
    for (const user of users) {
      if (await userIdOf(user) !== 7) lost++;
    }
    const p99 = quantile(times, 0.99);
    const broken: string[] = [];
    if (!effort.quick && p99 > 100) broken.push(`p99 is ${p99} ms`);
    if (lost > 0) broken.push(`${lost} users are logged out`);
    const p50 = milliseconds(quantile(times, 0.5));
    return { cells: [times.length, p50, milliseconds(p99), lost], broken };
  });
}

/** Returns the user of a session as soon as the store responds again. */
async function userIdOf(user: Browser): Promise<unknown> {
  for (let attempt = 0; attempt < 100; attempt++) {
    const userId = await user.visit((session) => session.userId);
    if (user.response.status === 200) return userId;
    await sleep(200);
  }
  return "The store does not respond";
}

/** Sends requests for a time, and returns their times in order. */
async function visitFor(
  time: number,
  users: readonly Browser[],
): Promise<number[]> {
  const end = performance.now() + time;
  const times: number[] = [];
  await Promise.all(users.map(async (user) => {
    while (performance.now() < end) {
      const begun = performance.now();
      await user.visit((session) => session.userId);
      times.push(performance.now() - begun);
      await sleep(20);
    }
  }));
  return times.sort((a, b) => a - b);
}
