import { assert, assertEquals } from "@std/assert";
import {
  createMemorySessionStore,
  type Session,
  SessionConflictError,
} from "@gatehouse/web/session";
import { Browser, Server } from "./_browser.ts";
import { mulberry, pause, slow } from "./_random.ts";

/** How many histories are tried; a number makes what happens in each. */
const HISTORIES = 150;

/** What may be used once, in every history. */
const TOKENS = ["t0", "t1", "t2"];

/** What a history has promised to somebody. */
interface Ledger {
  readonly taken: string[];
  readonly logins: Set<number>;
  /** The cookies that were sent with a logout that was answered. */
  readonly ended: string[];
  /** How often the count was raised. */
  added: number;
  /** Whether the id changed or ended, so that writes beside may be lost. */
  moved: boolean;
}

Deno.test("Sessions keep their promises in any order of requests and answers of the store", async () => {
  for (let seed = 1; seed <= HISTORIES; seed++) {
    const random = mulberry(seed);
    const store = slow(createMemorySessionStore(), random);
    const server = new Server({ store, lazy: seed % 2 === 0 });
    const browser = new Browser(server);
    await browser.visit(async (session) => {
      await session.load();
      for (const token of TOKENS) session.set(token, token);
    });
    const ledger: Ledger = {
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
          () => request(browser, random, ledger),
        ),
      );
    }
    await check(browser, ledger, seed);
  }
});

/** One request that does something, and keeps the cookie when it is answered. */
async function request(
  browser: Browser,
  random: () => number,
  ledger: Ledger,
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
      await act(session, choice, ledger);
      isLogout = choice === 9;
      if (isLogout) break;
      await pause(random);
    }
  }, headers);
  assert([200, 409].includes(response.status), await response.text());
  // A late answer, when others have moved or ended the session.
  if (keepsId) assertEquals(response.headers.getSetCookie(), []);
  browser.keep(response);
  if (response.status !== 200) return;
  ledger.added += added;
  if (isLogout) ledger.ended.push(header);
}

/** Does one of ten things. */
async function act(
  session: Session,
  choice: number,
  ledger: Ledger,
): Promise<void> {
  if (choice < 4) {
    session.update("count", (count) => Number(count ?? 0) + 1);
  } else if (choice < 7) {
    const token = TOKENS[choice - 4];
    if (session.take(token) === undefined) return;
    try {
      await session.commit();
      ledger.taken.push(token);
    } catch (error) {
      assert(error instanceof SessionConflictError);
    }
  } else {
    ledger.moved = true;
    if (choice === 7) {
      ledger.logins.add(ledger.logins.size + 1);
      session.set("userId", ledger.logins.size);
    }
    if (choice === 8) session.regenerateId();
    if (choice === 9) session.destroy();
  }
}

async function check(
  browser: Browser,
  { added, ended, logins, moved, taken }: Ledger,
  seed: number,
): Promise<void> {
  assertEquals(taken.length, new Set(taken).size, `history ${seed}`);
  await browser.visit(async (session) => {
    const { userId } = await session.load();
    assert(userId === undefined || logins.has(Number(userId)), `${seed}`);
    if (!moved) assertEquals(session.get("count") ?? 0, added, `${seed}`);
    for (const token of taken) assert(!session.has(token), `${seed}: ${token}`);
  });
  // A cookie that was good for a logout is good for nothing else.
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
