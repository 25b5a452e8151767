/** The client and a route map in the bundle of a page. */
import { assert, assertEquals } from "@std/assert";
import { bundle } from "../runtimes/bundle.ts";

const PROGRAM = new URL("_client_program.ts", import.meta.url);

/** The wings whose modules a page may contain. */
const ALLOWED = [
  /^router\/client\//,
  /^router\/routes\//,
  /^router\/pattern\//,
  // The names of methods, and the limits of patterns.
  /^router\/(?:method|limits)\.ts$/,
  // The media type of a response's body.
  /^router\/content\/media_type\.ts$/,
  // The error of a path that is too long for a pattern.
  /^router\/errors\/http_error\.ts$/,
  /^schema\//,
  /^tests\/(?:long\/_client_program|_wait)\.ts$/,
];

Deno.test("a page with the client contains no server code", async () => {
  const script = await bundle(
    `import { runProgram } from "${PROGRAM}"; globalThis.run = runProgram;`,
  );
  // The bundler names the source file before each module.
  const modules = [...script.matchAll(/^\/\/ (\S+\.ts)$/gm)]
    .map(([, module]) => module!)
    .filter((module) => !module.endsWith("/entry.ts"));
  assert(modules.includes("router/client/create_client.ts"));
  const strangers = modules
    .filter((module) => !ALLOWED.some((wing) => wing.test(module)));
  assertEquals(strangers, []);
});
