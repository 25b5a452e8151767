import { createRouter } from "@gatehouse/web/fetch-router";
import { formData } from "@gatehouse/web/middleware";
import { type JSONValue, Session } from "@gatehouse/web/session";
import {
  session,
  type SessionOptions,
} from "@gatehouse/web/session-middleware";
import { createTestSession } from "@gatehouse/web/testing";
import { assertEquals, assertThrows } from "@std/assert";
import { compiles } from "../router/_assert_type.ts";

Deno.test("Session.get() has the type of its key", () => {
  const session = createTestSession();
  const userId: string | number | undefined = session.get("userId");
  const value: JSONValue | undefined = session.get("other");
  // @ts-expect-error -- a value is any JSON until it is looked at
  const text: string | undefined = session.get("other");
  assertEquals([userId, value, text], [undefined, undefined, undefined]);
});

Deno.test("Session.set() accepts JSON values only", () => {
  const session = createTestSession();
  session.set("a", { b: [1, "two", null, { c: true }] } as const);
  assertEquals(session.get("a"), { b: [1, "two", null, { c: true }] });
  compiles("Session.set() refuses other values", () => [
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
  ]);
});

interface Item {
  readonly sku: string;
  note?: string;
}
interface Cart {
  items: Item[];
  readonly parts?: ReadonlyMap<string, Cart>;
}

Deno.test("Session.set() accepts interfaces of JSON values with optional members", () => {
  const session = createTestSession();
  const item: Item = { sku: "tea" };
  session.set("item", item);
  session.flash("items", [item, { sku: "milk", note: undefined }]);
  session.update("basket", (items) => items as Item[] | undefined ?? [item]);
  const keep = <Value extends JSONValue>(value: Value) => {
    session.set("any", value);
  };
  keep(["a", 1]);
  assertEquals(session.get("item"), { sku: "tea" });
  assertEquals(session.get("basket"), [{ sku: "tea" }]);
  assertEquals(session.get("items"), [{ sku: "tea" }, { sku: "milk" }]);

  const cart: Cart = { items: [item] };
  compiles("Session.set() refuses other interfaces", () => [
    // @ts-expect-error -- JSON has no maps, in interfaces neither
    () => session.set("cart", cart),
    // @ts-expect-error -- nor methods
    () => session.flash("cart", { ...cart, parts: 1, sum: () => 0 }),
    // @ts-expect-error -- nor undefined in lists
    () => session.set("cart", [item, undefined]),
    // @ts-expect-error -- nor undefined alone
    () => session.update("cart", () => undefined),
    // @ts-expect-error -- what it is has to be known
    (value: unknown) => session.set("cart", value),
    // @ts-expect-error -- and an object may be anything
    (value: object) => session.set("cart", { value }),
  ]);
});

Deno.test("session() gives its handlers the type of a session", async () => {
  const router = createRouter({ middleware: [session()] });
  router.get("/", (context) => {
    const session: Session = context.get(Session);
    return Response.json(session.userId ?? null);
  });
  const response = await router.fetch("https://example.com/");
  assertEquals(await response.json(), null);
});

Deno.test("session({ lazy }) gives its handlers a session without content before load()", async () => {
  const router = createRouter({
    middleware: [formData(), session({ lazy: true })],
  });
  router.get("/", async (context) => {
    // @ts-expect-error -- it is not read yet
    const early = () => context.get(Session).userId;
    assertThrows(early, TypeError, "await session.load()");
    const session: Session = await context.get(Session).load();
    return Response.json(session.userId ?? null);
  });
  const response = await router.fetch("https://example.com/");
  assertEquals(await response.json(), null);
});

Deno.test("session() accepts options with an unknown type of lazy", async () => {
  for (const lazy of [true, false]) {
    const options: SessionOptions = { lazy };
    const router = createRouter({ middleware: [session(options)] });
    router.get("/", async (context) => {
      const session: Session = await context.get(Session).load();
      return Response.json(session.userId ?? null);
    });
    const response = await router.fetch("https://example.com/");
    assertEquals(await response.json(), null);
  }
});
