import { completeAuth } from "@gatehouse/web/auth";
import {
  actAs,
  type ActingEntry,
  Actor,
  Auth,
  auth,
  createSessionAuthScheme,
  requireAuth,
  requireFreshAuth,
  requireOwnLogin,
  stopActing,
} from "@gatehouse/web/auth-middleware";
import { createRouter } from "@gatehouse/web/fetch-router";
import {
  createMemorySessionStore,
  endUserSessions,
  Session,
  userSessions,
} from "@gatehouse/web/session";
import { session } from "@gatehouse/web/session-middleware";
import { createTestClient, type TestClient } from "@gatehouse/web/testing";
import { assertEquals } from "@std/assert";

const HOUR = 3_600_000;
const SECRETS = ["a secret of more than thirty-two characters"];

for (const place of ["store", "lazy store", "cookies"] as const) {
  Deno.test(`actAs() makes the user another one until stopActing() (${place})`, async () => {
    const { entries, post, who } = setUp(place);
    await post("/login/1");
    assertEquals(await who(), [null, 1, 1]);
    assertEquals(await post("/act/2"), 204);
    assertEquals(await who(), [1, 2, 1]);
    assertEquals(await post("/stop"), 200);
    assertEquals(await who(), [null, 1, 1]);
    assertEquals(await post("/stop"), 200);
    assertEquals(
      entries.map(({ action, actorId, address, reason, userId }) =>
        [action, actorId, userId, reason, address].join(" ")
      ),
      ["start 1 2 Ticket 12 203.0.113.7", "end 1 2 Ticket 12 203.0.113.7"],
    );
  });

  Deno.test(`actAs() ends after its time, without a silent return to the user who acted (${place})`, async () => {
    const { clock, post, who } = setUp(place);
    await post("/login/1");
    await post("/act/2");
    for (let minutes = 0; minutes < 60; minutes += 12) {
      assertEquals(await who(), [1, 2, 1]);
      clock.time += HOUR / 5;
    }
    assertEquals(await who(), [null, null, 1]);
    // A form that was meant for the other user's account.
    assertEquals(await post("/delete"), 401);
    await post("/stop");
    assertEquals(await who(), [null, 1, 1]);
  });
}

Deno.test("actAs() refuses users with more rights, and records the attempt", async () => {
  const { entries, post, who } = setUp();
  await post("/login/2");
  for (const target of [1, 3, 2, 99]) {
    assertEquals(await post(`/act/${target}`), 403);
    assertEquals(await who(), [null, 2, 2]);
  }
  assertEquals(entries.map(({ action }) => action), Array(4).fill("refuse"));
});

Deno.test("actAs() refuses an administrator who is another one already", async () => {
  const { entries, post, who } = setUp();
  await post("/login/1");
  await post("/act/2");
  assertEquals(await post("/act/3"), 403);
  assertEquals(await who(), [1, 2, 1]);
  const [, last] = entries;
  assertEquals([last!.action, last!.actorId, last!.userId], ["refuse", 1, 3]);
});

Deno.test("actAs() ends if the other user gets more rights", async () => {
  const { post, users, who } = setUp();
  await post("/login/1");
  await post("/act/2");
  users.set(2, { id: 2, role: "admin" });
  assertEquals(await who(), [null, null, 1]);
});

Deno.test("actAs() ends if the user who acts loses the right, or is deleted", async () => {
  const { post, users, who } = setUp();
  await post("/login/1");
  await post("/act/2");
  users.set(1, { id: 1, role: "user" });
  assertEquals(await who(), [null, null, 1]);
  users.delete(1);
  assertEquals(await who(), [null, null, 1]);
});

Deno.test("actAs() ends if the other user is deleted", async () => {
  const { post, users, who } = setUp();
  await post("/login/1");
  await post("/act/2");
  users.delete(2);
  assertEquals(await who(), [null, null, 1]);
});

Deno.test("requireFreshAuth() and requireOwnLogin() refuse users who act as others", async () => {
  const { post } = setUp();
  await post("/login/1");
  assertEquals([await post("/delete"), await post("/password")], [200, 200]);
  await post("/act/2");
  assertEquals([await post("/delete"), await post("/password")], [403, 401]);
  await post("/stop");
  assertEquals([await post("/delete"), await post("/password")], [200, 200]);
});

Deno.test("actAs() does not begin if the entry cannot be stored", async () => {
  const { fault, post, who } = setUp();
  await post("/login/1");
  fault.audit = true;
  assertEquals(await post("/act/2"), 500);
  fault.audit = false;
  assertEquals(await who(), [null, 1, 1]);
});

Deno.test("actAs() and stopActing() change the id of the session", async () => {
  const { client, post, who } = setUp();
  await post("/login/1");
  const cookies = [cookieOf(client)];
  await post("/act/2");
  cookies.push(cookieOf(client));
  await post("/stop");
  cookies.push(cookieOf(client));
  assertEquals(new Set(cookies).size, 3);
  for (const old of cookies.slice(0, 2)) {
    assertEquals((await who(old))[1], null);
  }
});

Deno.test("A session whose user acts as another one belongs to its user", async () => {
  const { client, post, store, who } = setUp();
  await post("/login/1");
  await post("/act/2");
  assertEquals((await store.byIndex!("user:1")).length, 1);
  assertEquals((await store.byIndex!("user:2")).length, 0);
  assertEquals(await (await client.fetch("/list")).json(), 1);
  assertEquals(await endUserSessions(store, 2), 0);
  assertEquals(await who(), [1, 2, 1]);
  assertEquals(await endUserSessions(store, 1), 1);
  assertEquals(await who(), [null, null, null]);
});

Deno.test("A login ends acting, and so does a logout", async () => {
  const { post, who } = setUp();
  await post("/login/1");
  await post("/act/2");
  await post("/login/1");
  assertEquals(await who(), [null, 1, 1]);
  await post("/act/2");
  await post("/login/3");
  assertEquals(await who(), [null, 3, 3]);
  await post("/act/2");
  await post("/logout");
  assertEquals(await who(), [null, null, null]);
});

for (const place of ["store", "lazy store", "cookies"] as const) {
  Deno.test(`completeAuth() refuses to log in as the user as whom another one acts (${place})`, async () => {
    const { errors, post, who } = setUp(place);
    await post("/login/1");
    await post("/act/2");
    assertEquals(await post("/confirm"), 403);
    assertEquals(await post("/login/2"), 403);
    assertEquals(await who(), [1, 2, 1]);
    assertEquals(errors, []);
    await post("/stop");
    assertEquals(await post("/confirm"), 200);
    assertEquals(await who(), [null, 1, 1]);
  });
}

Deno.test("completeAuth() logs in as the other user when acting is over", async () => {
  const { clock, post, who } = setUp();
  await post("/login/1");
  await post("/act/2");
  for (let minutes = 0; minutes < 60; minutes += 12) {
    assertEquals(await who(), [1, 2, 1]);
    clock.time += HOUR / 5;
  }
  assertEquals(await post("/login/2"), 200);
  assertEquals(await who(), [null, 2, 2]);
});

Deno.test("actAs() throws without a user, without rules and without a reason", async () => {
  const { errors, post } = setUp();
  assertEquals(await post("/act/2"), 500);
  await post("/login/1");
  assertEquals(await post("/act/2?reason=%20"), 500);
  assertEquals(errors, [
    "Cannot act as a user: no user is logged in with a session scheme that has the option acting",
    "Cannot act as a user: the reason is empty",
  ]);
});

function setUp(place: "store" | "lazy store" | "cookies" = "store") {
  const clock = { time: Date.UTC(2026, 0, 1) };
  const now = () => clock.time;
  const store = createMemorySessionStore({ now });
  const users = new Map(
    [[1, "admin"], [2, "user"], [3, "admin"]].map(([id, role]) => [
      Number(id),
      { id: Number(id), role: String(role) },
    ]),
  );
  const entries: ActingEntry[] = [];
  const fault = { audit: false };
  const scheme = createSessionAuthScheme({
    name: "browser",
    verify: (id: string | number) => users.get(Number(id)) ?? null,
    acting: {
      allow: (actor, user) => actor.role === "admin" && user.role === "user",
      audit: (entry) => {
        if (fault.audit) throw new Error("The trail is unavailable");
        entries.push(entry);
      },
      now,
    },
  });
  const errors: string[] = [];
  const kept = place === "cookies" ? { secrets: SECRETS } : { store };
  const router = createRouter({
    middleware: [
      place === "lazy store"
        ? session({ ...kept, lazy: true, now })
        : session({ ...kept, now }),
      auth({ schemes: [scheme] }),
    ],
    onError: (error) => {
      errors.push((error as Error).message);
      return new Response(null, { status: 500 });
    },
  });
  router.post("/login/:id", async (context) => {
    await completeAuth(context, Number(context.params.id));
    return new Response();
  });
  router.post("/confirm", async (context) => {
    // As after a password: the id is that of the current user.
    await completeAuth(context, context.get(Auth)!.id);
    return new Response();
  });
  router.post("/logout", async (context) => {
    (await context.get(Session).load()).destroy();
    return new Response();
  });
  router.post("/act/:id", async (context) => {
    const reason = context.url.searchParams.get("reason") ?? "Ticket 12";
    const user = await actAs(context, Number(context.params.id), { reason });
    return new Response(null, { status: user === null ? 403 : 204 });
  });
  router.post("/stop", async (context) => {
    return Response.json(await stopActing(context));
  });
  router.post(
    "/delete",
    { middleware: [requireOwnLogin()] },
    () => new Response(),
  );
  router.post(
    "/password",
    { middleware: [requireAuth(), requireFreshAuth(HOUR, { now })] },
    () => new Response(),
  );
  router.get("/list", async (context) => {
    return Response.json((await userSessions(context).list()).length);
  });
  router.get("/", async (context) => {
    const { userId } = await context.get(Session).load();
    const [actor, user] = [context.get(Actor), context.get(Auth)];
    return Response.json([actor?.id ?? null, user?.id ?? null, userId ?? null]);
  });
  const client = createTestClient(router, { remoteAddress: "203.0.113.7" });
  const post = async (path: string) =>
    (await client.fetch(path, { method: "POST" })).status;
  const who = async (cookie?: string) => {
    const response = cookie === undefined
      ? await client.fetch("/")
      : await router.fetch("https://example.com/", { headers: { cookie } });
    return await response.json();
  };
  return { client, clock, entries, errors, fault, post, store, users, who };
}

function cookieOf(client: TestClient): string {
  return [...client.cookies].map(([name, value]) => `${name}=${value}`)
    .join("; ");
}
