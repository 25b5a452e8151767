import {
  endUserSessions,
  type EndUserSessionsOptions,
  SessionConflictError,
  SessionStoreError,
  userSessions,
} from "../mod.ts";
import { type Check, expect, numbers } from "./checks.ts";
import { Client, countUsers, logIn, strongCheck } from "./_client.ts";

/**
 * The number of sessions per user, and the maximum number of rotations per
 * session.
 */
const SESSIONS = 150;
const ROTATIONS = 100;

/** The number of requests that write while the id of their session changes. */
const CHANGES = 100;

/** The number of requests that write to one session, in several processes. */
const WRITERS = 400;
const PROCESSES = 4;

/** Sessions that end while other requests use them. */
export const endingChecks: readonly Check[] = [
  strongCheck(
    "endAll() ends 150 sessions whose ids change at the same time",
    async (owner) => {
      if (owner.store.byIndex === undefined) return;
      const userId = crypto.randomUUID();
      await owner.send((session) => session.set("userId", userId));
      const thieves = await logIn(
        owner.store,
        numbers(SESSIONS).map(() => userId),
      );
      let rotations = 0;
      const begun = Promise.withResolvers<void>();
      const rotating = thieves.map(async (thief) => {
        let isIn = true;
        for (let count = 0; isIn && count < ROTATIONS; count++) {
          await thief.send((session) => {
            isIn = session.userId !== undefined;
            if (isIn) session.regenerateId();
          });
          if (++rotations === SESSIONS) begun.resolve();
        }
      });
      await begun.promise;
      await owner.send(async (session, context) => {
        await userSessions(context).endAll({ except: session.id });
      });
      await Promise.all(rotating);
      expect("survivors", await countUsers(thieves), 0);
      // If all rotations had run, the ids would have stopped changing before
      // the end.
      expect("changed", rotations < SESSIONS * ROTATIONS, true);
      await owner.send((session) => expect("owner", session.userId, userId));
    },
  ),
  strongCheck(
    "a write is stored or gets a 409 if the id changes before it is saved",
    async (client) => {
      await client.send((session) => session.set("userId", "kit"));
      const { cookie } = client;
      const isLoaded = Promise.withResolvers<void>();
      const isChanging = Promise.withResolvers<void>();
      const isChanged = Promise.withResolvers<void>();
      let waiting = CHANGES;
      const writes = client.sendMany(
        waiting,
        cookie,
        async (session, _c, n) => {
          if (--waiting === 0) isLoaded.resolve();
          // Half of them save during the change of the id, half after it.
          await (n % 2 === 0 ? isChanging : isChanged).promise;
          session.set(`item${n}`, n);
        },
      );
      await isLoaded.promise;
      await client.send((session) => {
        session.regenerateId();
        isChanging.resolve();
      });
      isChanged.resolve();
      const statuses = (await writes).map(({ status }) => status);
      await client.send((session) => {
        expect("user", session.userId, "kit");
        const expected = numbers(CHANGES).map((n) =>
          session.has(`item${n}`) ? 200 : 409
        );
        expect("statuses", statuses, expected);
      });
      const late = statuses.filter((_status, n) => n % 2 === 1);
      expect("late", late, late.map(() => 409));
    },
  ),
  strongCheck("readers keep their user if the id changes", async (client) => {
    await client.send((session) => session.set("userId", "kit"));
    for (let change = 0; change < 5; change++) {
      const users: unknown[] = [];
      const { cookie } = client;
      const read = () =>
        client.sendMany(20, cookie, (session) => {
          users.push(session.userId ?? null);
        });
      const readers: Promise<unknown>[] = [];
      await client.send(async (session) => {
        session.regenerateId();
        readers.push(read());
        await session.commit();
        await read();
        // The response is complete before these requests have read the store.
        readers.push(read());
      });
      await Promise.all(readers);
      expect("users", users, users.map(() => "kit"));
    }
  }),
  strongCheck("200 writes take two store calls each", async ({ store }) => {
    let calls = 0;
    const client = new Client({
      get: (key) => (calls++, store.get(key)),
      put: (...args) => (calls++, store.put(...args)),
      delete: (key) => (calls++, store.delete(key)),
    });
    await client.send((session) => session.set("begun", true));
    const isLoaded = Promise.withResolvers<void>();
    let waiting = 200;
    const writes = client.sendMany(waiting, client.cookie, async (session) => {
      if (--waiting === 0) isLoaded.resolve();
      await isLoaded.promise;
      calls = 0;
      session.update("count", (count) => Number(count ?? 0) + 1);
    });
    const statuses = (await writes).map(({ status }) => status);
    expect("statuses", statuses, statuses.map(() => 200));
    expect(`${calls} calls`, calls <= 2 * statuses.length, true);
    await client.send((session) => expect("count", session.get("count"), 200));
  }),
  strongCheck("a logout succeeds among 400 writers", async (client) => {
    await client.send((session) => session.set("userId", "kit"));
    const { cookie } = client;
    const processes = numbers(PROCESSES).map(() => new Client(client.store));
    let isOver = false;
    let writes = 0;
    const begun = Promise.withResolvers<void>();
    const writers = numbers(WRITERS).map(async (n) => {
      const process = processes[n % PROCESSES]!;
      while (!isOver) {
        await process.sendMany(1, cookie, (session) => {
          session.update("count", (count) => Number(count ?? 0) + 1);
        }).catch(ignoreFailure);
        if (++writes === WRITERS / 10) begun.resolve();
      }
    });
    await begun.promise;
    try {
      await client.send((session) => session.destroy());
    } finally {
      isOver = true;
      await Promise.all(writers);
    }
    client.cookie = cookie;
    await client.send((session) => {
      expect("user", session.userId ?? null, null);
      expect("count", session.has("count"), false);
    });
  }),
  strongCheck(
    "endUserSessions() ends sessions without a request",
    async (own) => {
      if (own.store.byIndex === undefined) return;
      const userId = crypto.randomUUID();
      let id = "";
      await own.send(async (session) => {
        session.set("userId", userId);
        await session.commit();
        id = session.id;
      });
      const others = await logIn(own.store, [userId, userId, userId]);
      const [stranger] = await logIn(own.store, [crypto.randomUUID()]);
      const end = (options?: EndUserSessionsOptions) =>
        endUserSessions(own.store, userId, options);
      expect("ended before", await end({ before: 0 }), 0);
      expect("ended others", await end({ except: id }), 3);
      for (const other of others) {
        await other.send((session) =>
          expect("user", session.has("userId"), false)
        );
      }
      await own.send((session) => expect("owner", session.userId, userId));
      expect("ended", await end(), 1);
      await own.send((session) => expect("user", session.has("userId"), false));
      await stranger!.send((session) =>
        expect("stranger", session.has("userId"), true)
      );
    },
  ),
  strongCheck(
    "revokedBefore ends sessions of older logins",
    async ({ store }) => {
      let revokedAt: number | undefined;
      const options = { revokedBefore: () => revokedAt };
      const [thief, owner] = [
        new Client(store, options),
        new Client(store, options),
      ];
      const late = new Client(store, options);
      for (const client of [thief, owner]) {
        await client.send((session) => session.set("userId", "kit"));
      }
      late.cookie = thief.cookie;
      await owner.send(async (session) => {
        revokedAt = Date.now();
        session.unset("userId");
        session.set("userId", "kit");
        await session.commit();
      });
      await thief.send((session) => {
        expect("user", session.has("userId"), false);
        session.set("cart", 1);
      });
      await thief.send((session) => expect("cart", session.get("cart"), 1));
      await late.send((session) => expect("late", session.has("cart"), false));
      await owner.send((session) => expect("owner", session.userId, "kit"));
    },
  ),
];

/** Ignores the errors of a conflict and of too many concurrent writers. */
function ignoreFailure(error: unknown): void {
  if (error instanceof SessionStoreError) return;
  if (!(error instanceof SessionConflictError)) throw error;
}
