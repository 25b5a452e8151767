import { assertEquals, assertRejects } from "@std/assert";
import { completeAuth } from "@gatehouse/web/auth";
import {
  createMemorySessionStore,
  endUserSessions,
  SessionConflictError,
  type SessionStore,
} from "@gatehouse/web/session";
import { Browser, Server } from "../_browser.ts";

Deno.test("completeAuth() with an outdated version fails", async () => {
  const store = createMemorySessionStore();
  const server = new Server({ store });
  await endUserSessions(store, 7, { version: 3 });
  for (
    const [userId, version, seen] of [
      [7, 2, undefined],
      [7, 3, 7],
      [7, 4, 7],
      [8, 2, 8],
      [7, undefined, 7],
    ] as const
  ) {
    const browser = new Browser(server);
    let error: unknown;
    await browser.visit(async (_session, context) => {
      try {
        await completeAuth(context, userId, { version });
      } catch (caught) {
        error = caught;
      }
    });
    assertEquals(error instanceof SessionConflictError, seen === undefined);
    assertEquals(await browser.visit((session) => session.userId), seen);
  }
  // The last login has no version, and the one before it is the latest.
  assertEquals(await endUserSessions(store, 7, { version: 4 }), 2);
});

for (const malformed of ["", "{}", "latest"]) {
  Deno.test(`completeAuth() with a version fails if the stored one is "${malformed}"`, async () => {
    const memory = createMemorySessionStore();
    const server = new Server({ store: memory });
    const version = await versionKeyOf(memory, 7);
    await memory.put(version, malformed, { ttl: 60_000, ifVersion: null });
    const browser = new Browser(server);
    await browser.visit(async (_session, context) => {
      await assertRejects(
        () => completeAuth(context, 7, { version: 3 }),
        SessionConflictError,
      );
    });
    assertEquals(await browser.visit((session) => session.userId), undefined);
    // The next end of all sessions replaces it.
    await endUserSessions(memory, 7, { version: 3 });
    await browser.visit((_session, context) =>
      completeAuth(context, 7, { version: 3 })
    );
    assertEquals(await browser.visit((session) => session.userId), 7);
  });
}

/** Returns the key of the least version that a login of a user may have. */
async function versionKeyOf(
  memory: SessionStore,
  userId: number,
): Promise<string> {
  let found = "";
  const store: SessionStore = {
    ...memory,
    byIndex: () => [],
    get: () => null,
    put(key) {
      found = key;
      return true;
    },
  };
  await endUserSessions(store, userId, { version: 1 });
  return found;
}

Deno.test("completeAuth() keeps the version if the same user logs in again without one", async () => {
  const store = createMemorySessionStore();
  const browser = new Browser(new Server({ store }));
  const logIn = (userId: number, version?: number) =>
    browser.visit((_session, context) =>
      completeAuth(context, userId, { version })
    );
  await logIn(7, 2);
  await logIn(7);
  assertEquals(await endUserSessions(store, 7, { version: 2 }), 0);
  await logIn(8);
  assertEquals(await endUserSessions(store, 8, { version: 2 }), 1);
});

Deno.test("completeAuth() and endUserSessions() reject a version that is not an integer", async () => {
  const browser = new Browser(new Server());
  for (const version of [NaN, 1.5, -Infinity, 2 ** 53]) {
    const store = createMemorySessionStore();
    await assertRejects(
      () => endUserSessions(store, 7, { version }),
      RangeError,
      `version "${version}"`,
    );
    await assertRejects(
      () =>
        browser.visit((_session, context) =>
          completeAuth(context, 7, { version })
        ),
      Error,
      "RangeError",
    );
  }
});
