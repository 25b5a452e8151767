/**
 * The skills for coding agents in `skills/`. The task `test:docs` runs their
 * programs, as those of the guide.
 */
import { assert, assertEquals, assertMatch } from "@std/assert";
import { parse } from "npm:yaml@2.9.1";
import { forModels, readSkill } from "../../site/models.ts";
import { findExamples } from "../run/examples.ts";
import { codeBlocks } from "./_markdown.ts";

const ROOT = new URL("../../", import.meta.url);

const skills = new Map<string, string>();
for await (const { name } of Deno.readDir(new URL("skills/", ROOT))) {
  const file = new URL(`skills/${name}/SKILL.md`, ROOT);
  skills.set(name, await Deno.readTextFile(file));
}

Deno.test("each skill has a name, and a description of its use", () => {
  assertEquals([...skills.keys()].sort(), [
    "add-a-login",
    "migrate-from-better-auth",
    "protect-an-mcp-server",
  ]);
  for (const [folder, text] of skills) {
    const [, front = ""] = /^---\n(.+?)\n---\n/s.exec(text) ?? [];
    const { name, description, ...others } = parse(front);
    assertEquals([name, others], [folder, {}]);
    assertMatch(description, /Use it if /);
    assert(description.length <= 1_024);
    assertEquals(readSkill(text), { name, description });
    assert(text.split("\n").length < 200, "a skill is read as a whole");
  }
});

Deno.test("every program of the skills runs with the examples, and asserts something", async () => {
  const examples = await findExamples("skills/");
  for (const [name, text] of skills) {
    const programs = codeBlocks(text).filter(({ language }) =>
      language === "ts"
    );
    const file = `skills/${name}/SKILL.md`;
    assertEquals(
      examples.filter((one) => one.file === file).length,
      programs.length,
    );
    assert(programs.length > 0);
    for (const { text } of programs) assertMatch(text, /assertEquals\(/);
  }
});

Deno.test("the pages that skills name exist", async () => {
  for (const text of skills.values()) {
    const [, list = ""] = /^Guide: (.+)$/ms.exec(text) ?? [];
    const pages = list.match(/\w+\.md/g) ?? [];
    assert(pages.length > 2);
    for (const page of pages) await Deno.stat(new URL(`docs/${page}`, ROOT));
  }
});

Deno.test("llms.txt links to the pages and the skills", () => {
  const { summary } = forModels(
    [["Routing", "guide/routing", "# Routing"], [
      "Decisions",
      "guide/decisions/auth",
      "# Decisions",
    ]],
    [{ name: "add-a-login", description: "Adds a login." }],
  );
  assertMatch(summary, /^- \[Routing\]\(\/guide\/routing\.html\)$/m);
  assert(!summary.includes("Decisions"));
  assertMatch(
    summary,
    /^- \[add-a-login\]\(\/skills\/add-a-login\/SKILL\.md\): Adds a login\.$/m,
  );
});
