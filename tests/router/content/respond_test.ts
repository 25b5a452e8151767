import { respond } from "@gatehouse/web/content";
import { number } from "@gatehouse/web/data-schema";
import { assertEquals, assertThrows } from "@std/assert";
import { json, routes } from "../routes/_notes.ts";

Deno.test("respond() accepts only what the route declares", async () => {
  const { create } = routes.notes;
  const text = respond(create, 404, "No notebook");
  assertEquals(text.headers.get("Content-Type"), "text/plain");
  assertEquals(await text.text(), "No notebook");
  const empty = respond(create, 204);
  assertEquals([empty.status, empty.body], [204, null]);
  const note = respond(create, 201, { id: "1", text: "Tea" }, {
    headers: { Location: "/notes/1" },
  });
  assertEquals(note.headers.get("Location"), "/notes/1");
  // Bun adds a charset.
  assertEquals(note.headers.get("Content-Type")?.split(";")[0], json);
  assertThrows(
    // @ts-expect-error: The status is not declared.
    () => respond(create, 202, {}),
    TypeError,
    "Cannot respond with 202: it is not declared",
  );
  // @ts-expect-error: The body has another type.
  respond(create, 201, { id: number() });
  // @ts-expect-error: The body is missing.
  respond(create, 201);
});
