import { createRouter } from "@gatehouse/web/fetch-router";
import { assertEquals } from "@std/assert";
import { describe, ok } from "./_describe.ts";

/** Returns the operation of the only route of a pattern. */
function operationOf(pattern: string, router = createRouter()) {
  router.get(pattern, ok);
  const { document, omissions } = describe(router);
  return { paths: document.paths, omissions };
}

const patterns = [
  ["/", ["/"]],
  ["/notes/:id", ["/notes/{id}"]],
  ["/notes/:id?", ["/notes/{id}", "/notes"]],
  ["/:lang?", ["/{lang}", "/"]],
  ["/notes{/archive}?", ["/notes/archive", "/notes"]],
  ["/files/:name.:ext", ["/files/{name}.{ext}"]],
  ["/a b/ü", ["/a%20b/%C3%BC"]],
  ["/a{/:b}?{/:c}?", ["/a/{b}/{c}", "/a/{b}", "/a"]],
] as const;

for (const [pattern, paths] of patterns) {
  Deno.test(`openapi() writes the pattern ${pattern} as ${paths.join(", ")}`, () => {
    const written = operationOf(pattern);
    assertEquals(
      Object.keys(written.paths).sort(),
      [...paths].sort(),
    );
  });
}

const impossible = [
  ["/files/*", "a parameter of an OpenAPI path contains no slash"],
  ["/files/:path(.*)", "a parameter of an OpenAPI path contains no slash"],
  ["/files/:path([^x]+)", "a parameter of an OpenAPI path contains no slash"],
  ["/files/:path+", "OpenAPI has no repeated parts of a path"],
  ["/files{/x}*", "OpenAPI has no repeated parts of a path"],
  ["https://api.example/x", "its pattern has a protocol"],
  ["/:a?/:b?/:c?/:d?/:e?", "it has too many optional parts"],
] as const;

for (const [pattern, reason] of impossible) {
  Deno.test(`openapi() omits the pattern ${pattern}: ${reason}`, () => {
    const { omissions, paths } = operationOf(pattern);
    assertEquals(paths, {});
    assertEquals(omissions.map((one) => one.reason), [reason]);
  });
}

Deno.test("openapi() writes a regexp group as a pattern", () => {
  const { paths } = operationOf("/notes/:id(\\d+|new)");
  assertEquals(paths["/notes/{id}"]!.get!.parameters, [{
    name: "id",
    in: "path",
    required: true,
    schema: { type: "string", pattern: "^(?:\\d+|new)$" },
  }]);
  const { responses } = paths["/notes/{id}"]!.get!;
  assertEquals(Object.keys(responses as object), ["404"]);
});

Deno.test("openapi() unites routes whose params have different names", () => {
  const router = createRouter();
  router.get("/notes/:id", ok);
  router.put("/notes/:note", ok);
  router.get("/notes/:name(new)", ok);
  const { document, omissions } = describe(router);
  assertEquals(Object.keys(document.paths), ["/notes/{id}"]);
  const [parameter] = document.paths["/notes/{id}"]!.put!
    .parameters as { name: string }[];
  assertEquals(parameter?.name, "id");
  assertEquals(omissions, [{
    route: "GET /notes/:name(new)",
    reason: "another route has the same path /notes/{id}",
  }]);
});
