import { createRequire } from "node:module";
import "npm:bun@1.4.5/package.json" with { type: "json" };

/** Starts `main.js` of a folder, whose output can be read. */
export function startInBun(folder: string): Deno.ChildProcess {
  return new Deno.Command(bunPath(), {
    args: ["main.js"],
    cwd: folder,
    stdout: "piped",
    stderr: "null",
  }).spawn();
}

/**
 * Returns the program inside the npm package, whose install script did not run.
 */
export function bunPath(): string {
  const { os, arch } = Deno.build;
  const platform = `${os}-${arch === "x86_64" ? "x64" : arch}`;
  const program = os === "windows" ? "bun.exe" : "bun";
  return createRequire(import.meta.resolve("npm:bun@1.4.5/package.json"))
    .resolve(`@oven/bun-${platform}/bin/${program}`);
}
