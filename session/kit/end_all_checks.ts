import { beginLogin } from "../internal.ts";
import {
  endAllSessions,
  endUserSessions,
  SessionConflictError,
  type SessionStore,
} from "../mod.ts";
import {
  type Check,
  create,
  expect,
  newKey,
  newName,
  numbers,
} from "./checks.ts";
import { Client, countUsers, logIn, strongCheck } from "./_client.ts";

/** The number of users, and the maximum number of id changes for each. */
const USERS = 20;
const ROTATIONS = 40;

/** The checks that end many sessions at once, without a request. */
export const endAllChecks: readonly Check[] = [
  ["keys() returns the key of each value with an index name", async (store) => {
    if (store.keys === undefined) return;
    const keys = numbers(150).map(newKey);
    for (const key of keys) {
      await create(store, key, "one", { index: [newName()] });
    }
    await store.delete(keys[0]!);
    const found = new Set<string>();
    let after: string | undefined;
    do {
      const page = await store.keys(after);
      for (const key of page.keys) found.add(key);
      after = page.next;
    } while (after !== undefined);
    expect("missing", keys.slice(1).filter((key) => !found.has(key)), []);
  }],
  strongCheck(
    "endUserSessions() keeps a session whose id changes at the same time",
    async (owner) => {
      if (owner.store.byIndex === undefined) return;
      const userId = crypto.randomUUID();
      await owner.send((session) => session.set("userId", userId));
      const others = await logIn(owner.store, numbers(USERS).map(() => userId));
      const except = await idOf(owner);
      let ended = 0;
      await whileRotating([owner], async () => {
        ended = await endUserSessions(owner.store, userId, { except });
      });
      expect("ended", ended, USERS);
      expect("survivors", await countUsers(others), 0);
      await owner.send((session) => expect("owner", session.userId, userId));
      expect("again", await endUserSessions(owner.store, userId), 1);
    },
  ),
  strongCheck(
    "endAllSessions() ends the sessions of all users but one, even if ids change",
    async ({ store }) => {
      if (store.keys === undefined) return;
      const own = ownKeysOnly(store);
      const users = numbers(USERS).map(() => crypto.randomUUID());
      const others = await logIn(own, users);
      const [owner] = await logIn(own, ["admin"]);
      const visitor = new Client(own);
      await visitor.send((session) => session.set("cart", 1));
      const early = Date.now() - 60_000;
      expect("early", await endAllSessions(own, { before: early }), 0);
      const except = await idOf(owner!);
      await whileRotating([owner!, ...others], async () => {
        await endAllSessions(own, { except });
      });
      expect("survivors", await countUsers(others), 0);
      await owner!.send((session) => expect("owner", session.userId, "admin"));
      await visitor.send((session) => expect("cart", session.get("cart"), 1));
      expect("again", await endAllSessions(own), 1);
    },
  ),
  strongCheck(
    "endUserSessions() ends sessions of an older version, and their logins in flight",
    async ({ store }) => {
      if (store.byIndex === undefined) return;
      const userId = crypto.randomUUID();
      const [old, none, current] = numbers(3).map(() => new Client(store));
      await old!.send((session) => beginLogin(session, userId, { version: 1 }));
      await none!.send((session) => beginLogin(session, userId));
      const late = numbers(20).map(() => new Client(store));
      const logins = late.map((client) =>
        client.send((session) => beginLogin(session, userId, { version: 1 }))
          .then(() => "", (error) => {
            if (!(error instanceof SessionConflictError)) throw error;
          })
      );
      await current!.send((session) =>
        beginLogin(session, userId, { version: 2 })
      );
      await endUserSessions(store, userId, { version: 2 });
      await Promise.all(logins);
      expect("survivors", await countUsers([old!, none!, ...late]), 0);
      expect("current", await countUsers([current!]), 1);
      let refused = "";
      await old!.send((session) => beginLogin(session, userId, { version: 1 }))
        .catch((error) => refused = error.code);
      expect("refused", refused, "session_conflict");
      expect("old", await countUsers([old!]), 0);
      // An older version does not replace a later one.
      await endUserSessions(store, userId, { version: 1 });
      await none!.send((session) => beginLogin(session, userId, { version: 1 }))
        .catch(() => {});
      expect("users", await countUsers([none!, current!]), 1);
    },
  ),
];

async function idOf(client: Client): Promise<string> {
  let id = "";
  await client.send((session) => void (id = session.id));
  return id;
}

/** Runs a function while the ids of sessions change. */
async function whileRotating(
  clients: readonly Client[],
  run: () => Promise<void>,
): Promise<void> {
  let isOver = false;
  let rotations = 0;
  const begun = Promise.withResolvers<void>();
  const rotating = clients.map(async (client) => {
    let isIn = true;
    for (let count = 0; isIn && !isOver && count < ROTATIONS; count++) {
      await client.send((session) => {
        isIn = session.userId !== undefined;
        if (isIn) session.regenerateId();
      });
      if (++rotations === clients.length) begun.resolve();
    }
  });
  await begun.promise;
  try {
    await run();
  } finally {
    isOver = true;
    await Promise.all(rotating);
  }
}

/** Returns a store that has only the keys that are put from now on. */
function ownKeysOnly(store: SessionStore): SessionStore {
  const own = new Set<string>();
  return {
    get: (key) => store.get(key),
    put: (key, ...rest) => {
      own.add(key);
      return store.put(key, ...rest);
    },
    delete: (key) => store.delete(key),
    byIndex: (name) => store.byIndex?.(name) ?? [],
    keys: async (after) => {
      const { keys, next } = await store.keys!(after);
      return { keys: keys.filter((key) => own.has(key)), next };
    },
  };
}
