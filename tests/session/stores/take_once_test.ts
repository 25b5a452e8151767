import {
  createMemorySessionStore,
  type Session,
  SessionConflictError,
} from "@gatehouse/web/session";
import { assert, assertEquals } from "@std/assert";
import { seededRandom } from "../../runtimes/random.ts";
import { Browser, Server } from "../_browser.ts";
import { pause, withRandomDelays } from "../_random.ts";

/** The number of random histories. The seed of each decides the order. */
const HISTORIES = 400;

Deno.test("Session.take() lets only one of several concurrent requests log in, in any order of calls", async () => {
  for (let seed = 1; seed <= HISTORIES; seed++) {
    const random = seededRandom(seed);
    const store = withRandomDelays(createMemorySessionStore(), random);
    const server = new Server({ store, lazy: seed % 2 === 0 });
    const browser = new Browser(server);
    await browser.visit(async (session) => {
      await session.load();
      session.set("code", "code");
      session.flash("message", "flash");
    });
    const key = random() < 0.5 ? "code" : "message";
    const copies = Array.from(
      { length: 2 + Math.floor(random() * 4) },
      () => browser.copy(),
    );
    const logins = await Promise.all(
      copies.map((copy, n) => logIn(copy, key, n + 1, random)),
    );
    const users: unknown[] = [];
    for (const copy of copies) {
      if (copy.response.headers.getSetCookie().length === 0) continue;
      users.push(await copy.visit(async (s) => (await s.load()).userId));
    }
    const winner = 1 + logins.findIndex((isLogin) => isLogin);
    assert(winner > 0, `history ${seed}: no login`);
    assertEquals(
      [logins.filter(Boolean).length, users.filter(Boolean)],
      [1, [winner]],
      `history ${seed}`,
    );
  }
});

/** Takes the value and logs in. Returns `true` if the response is a 200. */
async function logIn(
  browser: Browser,
  key: string,
  userId: number,
  random: () => number,
): Promise<boolean> {
  let isTaken = false;
  await browser.visit(async (session) => {
    await session.load();
    if (!session.has(key)) return;
    await pause(random);
    isTaken = await takeAndLogIn(session, key, userId, random);
  });
  return isTaken && browser.response.status === 200;
}

/** Calls the methods in one of the orders that handlers use. */
async function takeAndLogIn(
  session: Session,
  key: string,
  userId: number,
  random: () => number,
): Promise<boolean> {
  const isFirst = random() < 0.3;
  if (isFirst) session.set("userId", userId);
  if (random() < 0.3) session.get(key);
  if (session.take(key) === undefined) return false;
  session.set("a", 1);
  if (!isFirst) session.set("userId", userId);
  if (random() < 0.3) session.regenerateId();
  await pause(random);
  if (random() < 0.5) return true;
  try {
    await session.commit();
    return true;
  } catch (error) {
    assert(error instanceof SessionConflictError);
    return false;
  }
}
