import { form } from "@gatehouse/web/fetch-router/routes";
import { assertEquals } from "@std/assert";
import { list } from "./_list.ts";

Deno.test("form() creates the routes index and action (spec 4.2)", () => {
  assertEquals(list(form("login")), {
    index: "GET /login",
    action: "POST /login",
  });
  assertEquals(
    list(
      form("/profile", {
        formMethod: "PUT",
        names: { index: "edit", action: "save" },
      }),
    ),
    { edit: "GET /profile", save: "PUT /profile" },
  );
  assertEquals(
    list(form("x", { names: { action: "submit" } })),
    { index: "GET /x", submit: "POST /x" },
  );
});
