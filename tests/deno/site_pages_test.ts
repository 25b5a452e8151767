import { assertEquals, assertStringIncludes } from "@std/assert";
import { cutTests, markPrograms, moveLinks } from "../../site/pages.ts";

Deno.test("cutTests() removes tests and the import that only they use", () => {
  const page = `\`\`\`ts
import { assertEquals } from "@std/assert";
import { createRouter } from "@gatehouse/web";

const router = createRouter();

// #region test
assertEquals(typeof router.fetch, "function");
// #endregion
\`\`\`
`;
  assertEquals(
    cutTests(page),
    `\`\`\`ts
import { createRouter } from "@gatehouse/web";

const router = createRouter();

Deno.serve(router.fetch);
\`\`\`
`,
  );
  const whole = page.replace(/\/\/ #(?:region test|endregion)\n/g, "");
  assertEquals(cutTests(whole), whole);
});

Deno.test("markPrograms() marks TypeScript only", () => {
  assertEquals(
    markPrograms("```ts ignore a.ts\n```\n\n```sh\n```\n"),
    "```ts twoslash ignore a.ts\n```\n\n```sh\n```\n",
  );
});

Deno.test("moveLinks() leads to pages, and from source to the repository", () => {
  const move = (link: string) => moveLinks(`[x](${link})`, "docs/deploy.md");
  assertEquals(move("routing.md#patterns"), "[x](/guide/routing#patterns)");
  assertEquals(move("decisions/README.md"), "[x](/guide/decisions/)");
  assertEquals(move("../SECURITY.md"), "[x](/security)");
  assertEquals(move("#here"), "[x](#here)");
  assertEquals(move("https://deno.com"), "[x](https://deno.com)");
  assertStringIncludes(
    move("../examples/app/app.ts"),
    "/blob/main/examples/app/app.ts)",
  );
});
