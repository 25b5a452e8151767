import { SessionLimitError, userSessions } from "../mod.ts";
import { type Check, expect, numbers } from "./checks.ts";
import { Client, strongCheck } from "./_client.ts";

/** A user with many sessions, and the limits of them. */
export const limitChecks: readonly Check[] = [
  strongCheck("page() returns each session once", async (client) => {
    if (client.store.byIndex === undefined) return;
    const userId = crypto.randomUUID();
    await client.sendMany(25, "", (session) => session.set("userId", userId));
    await client.send(async (_session, context) => {
      const ids: string[] = [];
      const sizes: number[] = [];
      let after: string | undefined;
      do {
        const page = await userSessions(context).page({
          userId,
          after,
          limit: 10,
        });
        ids.push(...page.sessions.map(({ id }) => id));
        sizes.push(page.sessions.length);
        after = page.next;
      } while (after !== undefined);
      expect("sizes", sizes, [10, 10, 5]);
      expect("different", new Set(ids).size, 25);
      const listed = await userSessions(context).list(userId);
      expect("listed", listed.map(({ id }) => id).sort(), ids.sort());
    });
  }),
  strongCheck("endAll() ends 600 sessions and no others", async (client) => {
    if (client.store.byIndex === undefined) return;
    const [userId, other] = [crypto.randomUUID(), crypto.randomUUID()];
    const cookies: string[] = [];
    for (let count = 0; count < 12; count++) {
      const begun = await client.sendMany(
        50,
        "",
        (session) => session.set("userId", userId),
      );
      const [cookie] = begun[0]!.headers.getSetCookie();
      cookies.push(cookie!.split(";")[0]!);
    }
    await client.send((session) => session.set("userId", other));
    const own = client.cookie;
    client.cookie = cookies[0]!;
    await client.send(async (session, context) => {
      const ended = await userSessions(context).endAll({ except: session.id });
      expect("ended", ended, 599);
    });
    const users: unknown[] = [];
    for (client.cookie of [...cookies, own]) {
      await client.send((session) => void users.push(session.userId ?? null));
    }
    const nulls = numbers(11).map(() => null);
    expect("users", users, [userId, ...nulls, other]);
  }),
  strongCheck(
    "a login that is sent several times leaves one session",
    async (client) => {
      if (client.store.byIndex === undefined) return;
      const userId = crypto.randomUUID();
      await client.send((session) => session.set("cart", 1));
      const responses = await client.sendMany(
        4,
        client.cookie,
        (session) => session.set("userId", userId),
      );
      const stored = await client.store.byIndex(`user:${userId}`);
      expect("sessions", stored.length, 1);
      const users: unknown[] = [];
      for (const { headers } of responses) {
        client.cookie = headers.getSetCookie()[0]!.split(";")[0]!;
        await client.send((session) => void users.push(session.userId ?? null));
      }
      // For a moment, the earlier ids can still be read.
      expect("logged in", users.includes(userId), true);
      const after = await client.store.byIndex(`user:${userId}`);
      expect("sessions after", after.length, 1);
    },
  ),
  strongCheck("maxSessions refuses logins", async ({ store }) => {
    if (store.byIndex === undefined) return;
    const limits = { maxSessions: 3, maxSessionsAction: "refuse" } as const;
    const client = new Client(store, limits);
    const userId = crypto.randomUUID();
    let refused = 0;
    const logIn = () =>
      client.sendMany(1, "", async (session) => {
        session.set("userId", userId);
        try {
          await session.commit();
        } catch (error) {
          if (!(error instanceof SessionLimitError)) throw error;
          refused++;
        }
      });
    for (let count = 0; count < 4; count++) await logIn();
    expect("refused", refused, 1);
    const name = `user:${userId}`;
    const [ended] = await store.byIndex(name);
    await store.delete(ended!);
    // The store may refuse more logins than necessary, but not fewer.
    await Promise.all(numbers(5).map(logIn));
    expect("at most 3", (await store.byIndex(name)).length <= 3, true);
    while ((await store.byIndex(name)).length < 3) await logIn();
    await logIn();
    expect("sessions", (await store.byIndex(name)).length, 3);
  }),
];
