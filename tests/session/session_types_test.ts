import { assertEquals } from "@std/assert";
import { createRouter } from "@gatehouse/web/fetch-router";
import { type JSONValue, Session } from "@gatehouse/web/session";
import { session } from "@gatehouse/web/session-middleware";

Deno.test("Session.get() is typed by its key", () => {
  const session = new Session();
  const userId: string | number | undefined = session.get("userId");
  const value: JSONValue | undefined = session.get("other");
  // @ts-expect-error -- a value is any JSON until it is looked at
  const text: string | undefined = session.get("other");
  assertEquals([userId, value, text], [undefined, undefined, undefined]);
});

Deno.test("Session.set() takes JSON alone", () => {
  const session = new Session();
  session.set("a", { b: [1, "two", null, { c: true }] } as const);
  const refused = [
    // @ts-expect-error -- JSON has no dates
    () => session.set("a", new Date(0)),
    // @ts-expect-error -- nor sets
    () => session.set("a", new Set([1])),
    // @ts-expect-error -- nor bigints
    () => session.set("a", 1n),
    // @ts-expect-error -- nor undefined
    () => session.set("a", undefined),
    // @ts-expect-error -- the id belongs to the store
    () => session.id = "a",
  ];
  assertEquals(refused.length, 5);
});

Deno.test("session() tells its handlers that there is a session", async () => {
  const router = createRouter({ middleware: [session()] });
  router.get("/", (context) => {
    const session: Session = context.get(Session);
    return Response.json(session.userId ?? null);
  });
  const response = await router.fetch("https://example.com/");
  assertEquals(await response.json(), null);
});
