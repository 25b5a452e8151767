import {
  endUserSessions,
  type EndUserSessionsOptions,
  SessionConflictError,
  sessions,
  type SessionStore,
  SessionStoreError,
} from "../mod.ts";
import { type Check, expect, numbers } from "./_checks.ts";
import { Client, strongCheck } from "./_client.ts";

/** The number of sessions of a user, and the most times that each rotates. */
const SESSIONS = 150;
const ROTATIONS = 100;

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
      const thieves = await logIn(owner.store, userId, SESSIONS);
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
        await sessions(context).endAll({ except: session.id });
      });
      await Promise.all(rotating);
      let survivors = 0;
      for (const thief of thieves) {
        await thief.send((session) => {
          if (session.userId !== undefined) survivors++;
        });
      }
      expect("survivors", survivors, 0);
      // Otherwise the ids stopped changing before the end.
      expect("changed", rotations < SESSIONS * ROTATIONS, true);
      await owner.send((session) => expect("owner", session.userId, userId));
    },
  ),
  strongCheck(
    "100 writers lose no confirmed change if the id changes",
    async (client) => {
      await client.send((session) => session.set("userId", "kit"));
      const { cookie } = client;
      const isLoaded = Promise.withResolvers<void>();
      const gate = Promise.withResolvers<void>();
      let confirmed = 0;
      let waiting = 100;
      const writers = numbers(waiting).map((n) =>
        client.sendMany(1, cookie, async (session) => {
          if (--waiting === 0) isLoaded.resolve();
          await gate.promise;
          session.set(`item${n}`, n);
          await session.commit();
          confirmed++;
        }).catch(ignoreFailure)
      );
      await isLoaded.promise;
      gate.resolve();
      await client.send((session) => session.regenerateId());
      await Promise.all(writers);
      await client.send((session) => {
        const stored = numbers(100).filter((n) => session.has(`item${n}`));
        expect("user", session.userId, "kit");
        expect("confirmed", stored.length, confirmed);
      });
    },
  ),
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
      const others = await logIn(own.store, userId, 3);
      const [stranger] = await logIn(own.store, crypto.randomUUID(), 1);
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

async function logIn(
  store: SessionStore,
  userId: string,
  count: number,
): Promise<Client[]> {
  const clients = numbers(count).map(() => new Client(store));
  await Promise.all(
    clients.map((client) =>
      client.send((session) => session.set("userId", userId))
    ),
  );
  return clients;
}

/** Ignores a conflict, or that a session has too many writers at once. */
function ignoreFailure(error: unknown): void {
  if (error instanceof SessionStoreError) return;
  if (!(error instanceof SessionConflictError)) throw error;
}
