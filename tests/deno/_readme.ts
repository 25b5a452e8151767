import { deno } from "./_programs.ts";

const ROOT = new URL("../../", import.meta.url);
const README = new URL("README.md", ROOT);

/**
 * Replaces a measured part of the README: the lines between `<!-- NAME -->` and
 * `<!-- /NAME -->`.
 */
export async function writePart(name: string, text: string): Promise<void> {
  const [before, , after] = split(name, await Deno.readTextFile(README));
  const [open, close] = [`<!-- ${name} -->`, `<!-- /${name} -->`];
  const readme = `${before}${open}\n\n${text.trim()}\n\n${close}${after}`;
  await Deno.writeTextFile(README, readme);
  await deno(["fmt", README.pathname], { cwd: ROOT });
}

/** Reads such a part. */
export async function readPart(name: string): Promise<string> {
  return split(name, await Deno.readTextFile(README))[1].trim();
}

function split(name: string, text: string): [string, string, string] {
  const [before, rest] = text.split(`<!-- ${name} -->`);
  const [part, after] = rest?.split(`<!-- /${name} -->`) ?? [];
  if (before === undefined || part === undefined || after === undefined) {
    throw new Error(`Cannot find the part "${name}" of the README`);
  }
  return [before, part, after];
}
