/**
 * Prepares the files for language models: `llms.txt`, and the skills that it links
 * to. See https://llmstxt.org.
 *
 * @module
 */

/** A skill for coding agents. */
export interface Skill {
  readonly name: string;
  readonly description: string;
}

/** Reads the front matter of a skill, whose values have one line each. */
export function readSkill(text: string): Skill {
  const valueOf = (key: string) =>
    new RegExp(`^${key}: (.+)$`, "m").exec(text)?.[1] ?? "";
  return { name: valueOf("name"), description: valueOf("description") };
}

/** Returns the content of `llms.txt` and `llms-full.txt`. */
export function forModels(
  texts: readonly [title: string, path: string, text: string][],
  skills: readonly Skill[],
): { readonly summary: string; readonly all: string } {
  const pages = texts.filter(([, path]) => !path.startsWith("guide/decisions/"))
    .sort(([, a], [, b]) => a < b ? -1 : 1);
  const links = pages.map(([title, path]) => `- [${title}](/${path}.html)`);
  const tasks = skills.map(({ description, name }) =>
    `- [${name}](/skills/${name}/SKILL.md): ${description}`
  );
  const summary = `# Gatehouse\n
> A web toolkit for TypeScript with authentication built in, for Deno, Bun,
> Cloudflare Workers and Node. Published on JSR as \`@gatehouse/web\`.\n
## Skills\n\n${tasks.join("\n")}\n
## Pages\n\n${links.join("\n")}\n
## API reference\n\n- [All entries](/api/)\n`;
  return { summary, all: pages.map(([, , text]) => text).join("\n\n") };
}
