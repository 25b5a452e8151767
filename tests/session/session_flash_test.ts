import { assert, assertEquals } from "@std/assert";
import type { Session } from "@gatehouse/web/session";
import { Browser, Server } from "./_browser.ts";

Deno.test("Session.flash() stores a message that is shown once (spec 2.3)", async () => {
  const browser = new Browser(new Server());
  await browser.visit((session) => session.flash("notice", "Saved"));
  await browser.visit((session) => assert(session.has("notice")));
  const read = (session: Session) => [
    session.get("notice"),
    session.get("notice"),
  ];
  assertEquals(await browser.visit(read), ["Saved", "Saved"]);
  assertEquals(await browser.visit(read), [undefined, undefined]);
});

Deno.test("Session.keep() saves flash values for one more request", async () => {
  const browser = new Browser(new Server());
  await browser.visit((session) => {
    session.flash("a", 1);
    session.flash("b", 2);
    session.flash("c", 3);
  });
  await browser.visit((session) => {
    session.get("a");
    session.get("b");
    session.keep("a");
    session.keep("c");
    session.get("c");
  });
  const read = (session: Session) => ["a", "b", "c"].map((k) => session.get(k));
  assertEquals(await browser.visit(read), [1, undefined, 3]);
  assertEquals(await browser.visit(read), [undefined, undefined, undefined]);
});

Deno.test("Session.flash() values are readable in the same request, and then removed", async () => {
  const browser = new Browser(new Server());
  await browser.visit((session) => {
    session.flash("notice", "now");
    assertEquals(session.get("notice"), "now");
  });
  assertEquals(await browser.visit((s) => s.get("notice")), undefined);
});

Deno.test("Session.flash() values stay until they are read", async () => {
  const browser = new Browser(new Server());
  await browser.visit((session) => session.flash("notice", "later"));
  for (let count = 0; count < 3; count++) {
    await browser.visit((session) => session.set("count", count));
  }
  assertEquals(await browser.visit((s) => s.get("notice")), "later");
});

Deno.test("Session.keep() without a key keeps all flash values, read or not", async () => {
  const browser = new Browser(new Server());
  await browser.visit((session) => {
    session.flash("a", 1);
    session.flash("b", null);
  });
  const read = (s: Session) => [s.get("a"), s.get("b")];
  await browser.visit((session) => {
    session.keep();
    assertEquals(read(session), [1, null]);
  });
  await browser.visit((session) => {
    assertEquals(read(session), [1, null]);
    session.keep();
  });
  assertEquals(await browser.visit(read), [1, null]);
  assertEquals(await browser.visit(read), [undefined, undefined]);
});

Deno.test("Session.get() of a flash value keeps a new one from a concurrent request", async () => {
  const browser = new Browser(new Server());
  await browser.visit((session) => session.flash("notice", { text: "old" }));
  const other = browser.copy();
  await browser.visit(async (session) => {
    assertEquals(session.get("notice"), { text: "old" });
    await other.visit((session) => session.flash("notice", { text: "new" }));
  });
  const read = (session: Session) => session.get("notice");
  assertEquals(await browser.visit(read), { text: "new" });
  assertEquals(await browser.visit(read), undefined);
});

Deno.test("Session.keep() of a flash value keeps a new one from a concurrent request", async () => {
  const browser = new Browser(new Server());
  await browser.visit((session) => session.flash("notice", "old"));
  const other = browser.copy();
  await browser.visit(async (session) => {
    session.get("notice");
    session.keep();
    assertEquals(session.get("notice"), "old");
    await other.visit((session) => session.flash("notice", "new"));
  });
  assertEquals(await browser.visit((s) => s.get("notice")), "new");
});

Deno.test("Session.keep() saves a flash value after a read and a commit", async () => {
  const browser = new Browser(new Server());
  await browser.visit((session) => session.flash("notice", "old"));
  await browser.visit(async (session) => {
    session.get("notice");
    await session.commit();
    session.keep("notice");
  });
  assertEquals(await browser.visit((s) => s.get("notice")), "old");
});

Deno.test("Session.keep() during a commit loses no change", async () => {
  const browser = new Browser(new Server());
  await browser.visit((session) => session.flash("notice", "old"));
  await browser.visit(async (session) => {
    session.get("notice");
    const committed = session.commit();
    session.keep();
    session.set("a", 1);
    session.set("b", 2);
    await committed;
  });
  await browser.visit((session) => {
    assertEquals([session.get("a"), session.get("b")], [1, 2]);
    assertEquals(session.get("notice"), "old");
  });
});

Deno.test("Session.take() returns a value once", async () => {
  const browser = new Browser(new Server());
  await browser.visit((session) => {
    session.set("challenge", { n: 1 });
    session.flash("message", "m");
  });
  await browser.visit(async (session) => {
    assertEquals(session.take("challenge"), { n: 1 });
    assertEquals(session.take("challenge"), undefined);
    assertEquals(session.get("message"), "m");
    assertEquals(session.take("message"), "m");
    assertEquals(session.take("never"), undefined);
    await session.commit();
  });
  assertEquals(await browser.visit((s) => s.take("challenge")), undefined);
});
