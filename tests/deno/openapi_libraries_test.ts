/** Schemas of other libraries in OpenAPI documents. */
import { assertEquals } from "@std/assert";
import { createRouter } from "@gatehouse/web/fetch-router";
import { post } from "@gatehouse/web/fetch-router/routes";
import { validate } from "@gatehouse/web/middleware";
import { openapi } from "@gatehouse/web/openapi";
import { type } from "npm:arktype@2.2.9";
import { z } from "npm:zod@4.6.7";

const libraries = [
  ["Zod", z.object({ text: z.string(), stars: z.number().optional() })],
  ["ArkType", type({ text: "string", "stars?": "number" })],
] as const;

for (const [name, schema] of libraries) {
  Deno.test(`openapi() writes schemas of ${name}`, () => {
    const create = post("/notes", { json: schema, responses: { 201: schema } });
    const router = createRouter();
    router.post(create, validate(create), () => new Response());
    const { document, omissions } = openapi(router, {
      info: { title: "Notes", version: "1.0.0" },
    });
    assertEquals(omissions, []);
    const { requestBody, responses } = document.paths["/notes"]!.post as {
      requestBody: { content: Record<string, { schema: unknown }> };
      responses: Record<string, typeof requestBody>;
    };
    for (const { content } of [requestBody, responses[201]!]) {
      const written = content["application/json"]!.schema as {
        properties: unknown;
        required: unknown;
      };
      assertEquals(written.required, ["text"]);
      assertEquals(written.properties, {
        text: { type: "string" },
        stars: { type: "number" },
      });
    }
  });
}
