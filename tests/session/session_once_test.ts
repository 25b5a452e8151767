import { assert, assertEquals } from "@std/assert";
import {
  createMemorySessionStore,
  type Session,
  SessionConflictError,
} from "@gatehouse/web/session";
import { Browser, Server } from "./_browser.ts";
import { mulberry, pause, slow } from "./_random.ts";

/** How many histories are tried; a number makes what happens in each. */
const HISTORIES = 400;

Deno.test("Sessions let one of several requests log in by a value that each has taken, in any order of calls", async () => {
  for (let seed = 1; seed <= HISTORIES; seed++) {
    const random = mulberry(seed);
    const store = slow(createMemorySessionStore(), random);
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
    const answers = await Promise.all(
      copies.map((copy, n) => logIn(copy, key, n + 1, random)),
    );
    const users: unknown[] = [];
    for (const copy of copies) {
      if (copy.response.headers.getSetCookie().length === 0) continue;
      users.push(await copy.visit(async (s) => (await s.load()).userId));
    }
    const winner = 1 + answers.findIndex((isLogin) => isLogin);
    assert(winner > 0, `history ${seed}: nobody`);
    assertEquals(
      [answers.filter(Boolean).length, users.filter(Boolean)],
      [1, [winner]],
      `history ${seed}`,
    );
  }
});

/** Takes the value and logs in; tells whether both was answered with 200. */
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
    isTaken = await act(session, key, userId, random);
  });
  return isTaken && browser.response.status === 200;
}

/** Does it in one of the orders in which handlers do it. */
async function act(
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
