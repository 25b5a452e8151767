import { assert, assertEquals } from "@std/assert";
import {
  createMemorySessionStore,
  type Session,
  SessionConflictError,
} from "@gatehouse/web/session";
import { Browser, Server } from "./_browser.ts";
import { seededRandom } from "../runtimes/random.ts";
import { pause, withRandomDelays } from "./_random.ts";

/** The number of random histories. The seed of each decides the order. */
const HISTORIES = 150;

/** The values that only one request can take. */
const TOKENS = ["t0", "t1", "t2"];

/** The results that responses have confirmed in a history. */
interface Confirmed {
  readonly taken: string[];
  readonly logins: Set<number>;
  /** The cookies of requests with a confirmed logout. */
  readonly ended: string[];
  /** The number of confirmed increments. */
  added: number;
  /** `true` if the id changed or ended, so that concurrent writes may be lost. */
  moved: boolean;
}

Deno.test("Sessions keep confirmed changes in any order of requests and store operations", async () => {
  for (let seed = 1; seed <= HISTORIES; seed++) {
    const random = seededRandom(seed);
    const store = withRandomDelays(createMemorySessionStore(), random);
    const server = new Server({ store, lazy: seed % 2 === 0 });
    const browser = new Browser(server);
    await browser.visit(async (session) => {
      await session.load();
      for (const token of TOKENS) session.set(token, token);
    });
    const confirmed: Confirmed = {
      taken: [],
      logins: new Set(),
      ended: [],
      added: 0,
      moved: false,
    };
    for (let round = 0; round < 3; round++) {
      await Promise.all(
        Array.from(
          { length: 2 + Math.floor(random() * 5) },
          () => request(browser, random, confirmed),
        ),
      );
    }
    await check(browser, confirmed, seed);
  }
});

/** Sends a request that runs random actions, and keeps its cookies. */
async function request(
  browser: Browser,
  random: () => number,
  confirmed: Confirmed,
): Promise<void> {
  const { header } = browser;
  let added = 0;
  let isLogout = false;
  let keepsId = true;
  const headers: HeadersInit = header === "" ? {} : { Cookie: header };
  const response = await browser.server.request(async (session) => {
    await session.load();
    if (session.id === "") keepsId = false;
    for (let count = 1 + Math.floor(random() * 2); count > 0; count--) {
      const choice = Math.floor(random() * 10);
      if (choice < 4) added++;
      if (choice > 6) keepsId = false;
      await runAction(session, choice, confirmed);
      isLogout = choice === 9;
      if (isLogout) break;
      await pause(random);
    }
  }, headers);
  assert([200, 409].includes(response.status), await response.text());
  // A late response must not set a cookie if others changed or ended the id.
  if (keepsId) assertEquals(response.headers.getSetCookie(), []);
  browser.keep(response);
  if (response.status !== 200) return;
  confirmed.added += added;
  if (isLogout) confirmed.ended.push(header);
}

/** Runs one of ten actions. */
async function runAction(
  session: Session,
  choice: number,
  confirmed: Confirmed,
): Promise<void> {
  if (choice < 4) {
    session.update("count", (count) => Number(count ?? 0) + 1);
  } else if (choice < 7) {
    const token = TOKENS[choice - 4];
    if (session.take(token) === undefined) return;
    try {
      await session.commit();
      confirmed.taken.push(token);
    } catch (error) {
      assert(error instanceof SessionConflictError);
    }
  } else {
    confirmed.moved = true;
    if (choice === 7) {
      confirmed.logins.add(confirmed.logins.size + 1);
      session.set("userId", confirmed.logins.size);
    }
    if (choice === 8) session.regenerateId();
    if (choice === 9) session.destroy();
  }
}

async function check(
  browser: Browser,
  { added, ended, logins, moved, taken }: Confirmed,
  seed: number,
): Promise<void> {
  assertEquals(taken.length, new Set(taken).size, `history ${seed}`);
  await browser.visit(async (session) => {
    const { userId } = await session.load();
    assert(userId === undefined || logins.has(Number(userId)), `${seed}`);
    if (!moved) assertEquals(session.get("count") ?? 0, added, `${seed}`);
    for (const token of taken) assert(!session.has(token), `${seed}: ${token}`);
  });
  // The cookie of a logout is invalid afterwards.
  for (const header of ended.filter(Boolean)) {
    const [name, value] = header.split("=");
    const copy = new Browser(browser.server, [[name, value]]);
    await copy.visit(async (session) => {
      await session.load();
      assertEquals(session.userId, undefined, `history ${seed}`);
      assertEquals(session.has("count"), false, `history ${seed}`);
    });
  }
}
