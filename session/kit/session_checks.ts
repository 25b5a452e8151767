import { SessionConflictError, userSessions } from "../mod.ts";
import { type Check, expect } from "./checks.ts";
import { Client, strongCheck } from "./_client.ts";

/** The guarantees of sessions on a store with compare-and-swap. */
export const sessionChecks: readonly Check[] = [
  strongCheck(
    "100 concurrent requests keep all their changes",
    async (client) => {
      await client.send((session) => session.set("begun", true));
      const cookie = client.cookie;
      await client.sendMany(100, cookie, (session, _context, n) => {
        session.set(`item${n}`, n);
        session.update("count", (count) => Number(count ?? 0) + 1);
      });
      await client.send((session) => {
        const items = Array.from({ length: 100 }, (_none, n) => n);
        expect("items", items.map((n) => session.get(`item${n}`)), items);
        expect("count", session.get("count"), 100);
      });
    },
  ),
  strongCheck(
    "a logout among 50 concurrent requests ends the session",
    async (client) => {
      await client.send((session) => session.set("userId", "kit"));
      const cookie = client.cookie;
      const begun = Promise.withResolvers<void>();
      const ended = Promise.withResolvers<void>();
      let waiting = 50;
      const requests = client.sendMany(50, cookie, async (session, _c, n) => {
        if (--waiting === 0) begun.resolve();
        // Half of them save during the logout, half after it.
        if (n % 2 === 0) await ended.promise;
        session.set(`item${n}`, n);
        session.flash("notice", "late");
      });
      await begun.promise;
      await client.send((session) => session.destroy());
      ended.resolve();
      const late = (await requests).filter((_response, n) => n % 2 === 0);
      expect("late cookies", cookiesOf(late), []);
      client.cookie = cookie;
      await client.send((session) => {
        expect("user", session.userId ?? null, null);
        expect("item", session.has("item1"), false);
      });
    },
  ),
  strongCheck("one of 20 concurrent requests takes a value", async (client) => {
    await client.send((session) => {
      session.set("once", "value");
      session.flash("message", "flash");
    });
    const cookie = client.cookie;
    for (const key of ["once", "message"]) {
      let taken = 0;
      await client.sendMany(20, cookie, async (session) => {
        if (session.take(key) === undefined) return;
        try {
          await session.commit();
          taken++;
        } catch (error) {
          if (!(error instanceof SessionConflictError)) throw error;
        }
      });
      expect(`taken ${key}`, taken, 1);
    }
  }),
  strongCheck(
    "a response after a login sets no cookie if its request came before",
    async (client) => {
      await client.send((session) => session.set("cart", 1));
      const cookie = client.cookie;
      const gate = Promise.withResolvers<void>();
      const begun = Promise.withResolvers<void>();
      const late = client.sendMany(1, cookie, async (session) => {
        session.set("cart", 2);
        begun.resolve();
        await gate.promise;
      });
      await begun.promise;
      await client.send((session) => session.set("userId", "kit"));
      gate.resolve();
      expect("cookies", cookiesOf(await late), []);
      // A request with the old cookie that arrives later gets no cookie either.
      const later = client.sendMany(1, cookie, (session) => {
        session.set("cart", 3);
      });
      expect("later cookies", cookiesOf(await later), []);
      await client.send((session) => expect("user", session.userId, "kit"));
    },
  ),
  strongCheck("endAll() ends all other sessions", async (client) => {
    if (client.store.byIndex === undefined) return;
    const userId = crypto.randomUUID();
    const others: string[] = [];
    for (let n = 0; n < 3; n++) {
      client.cookie = "";
      await client.send((session) => session.set("userId", userId));
      others.push(client.cookie);
    }
    const own = others.pop()!;
    await client.send(async (session, context) => {
      expect("listed", (await userSessions(context).list()).length, 3);
      const ended = await userSessions(context).endAll({ except: session.id });
      expect("ended", ended, 2);
    });
    for (client.cookie of others) {
      await client.send((session) =>
        expect("user", session.has("userId"), false)
      );
    }
    client.cookie = own;
    await client.send((session) => expect("user", session.userId, userId));
  }),
  strongCheck("maxSessions ends the oldest sessions", async ({ store }) => {
    if (store.byIndex === undefined) return;
    const client = new Client(store, { maxSessions: 3 });
    const userId = crypto.randomUUID();
    const cookies: string[] = [];
    for (let n = 0; n < 5; n++) {
      client.cookie = "";
      await client.send((session) => session.set("userId", userId));
      cookies.push(client.cookie);
      // Each login has its own millisecond.
      await new Promise((resolve) => setTimeout(resolve, 2));
    }
    const users: unknown[] = [];
    for (client.cookie of cookies) {
      await client.send((session) => void users.push(session.userId ?? null));
    }
    expect("users", users, [null, null, userId, userId, userId]);
    await client.sendMany(10, "", (session) => session.set("userId", userId));
    const name = `user:${userId}`;
    expect("sessions", (await store.byIndex(name)).length, 3);
  }),
];

function cookiesOf(responses: readonly Response[]): string[] {
  return responses.flatMap(({ headers }) => headers.getSetCookie());
}
