import { sessions, type SessionStore, SessionStoreError } from "../mod.ts";
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

/** Ignores that a session has too many writers. The logout must not fail. */
function ignoreFailure(error: unknown): void {
  if (!(error instanceof SessionStoreError)) throw error;
}
