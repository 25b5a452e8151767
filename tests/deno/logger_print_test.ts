/** Batches of lines on the standard output of Deno. */
import { assert, assertEquals } from "@std/assert";
import { turns } from "../_wait.ts";

/** Starts a Deno program in which `batch` writes to the standard output. */
function startProgram(source: string): Deno.ChildProcess {
  const module = import.meta.resolve("@gatehouse/web/logger-middleware");
  return new Deno.Command(Deno.execPath(), {
    args: [
      "eval",
      `import { batchOutput } from ${JSON.stringify(module)};
const batch = batchOutput({ target: "stdout" });
${source}`,
    ],
    stdout: "piped",
    stderr: "inherit",
  }).spawn();
}

Deno.test("batchOutput() on the standard output of Deno writes every line once to a pipe that is read slowly", async () => {
  // 2 MB, of which a pipe holds 64 kB.
  const program = startProgram(`
for (let line = 0; line < 40_000; line++) batch(\`\${line} é€👤 of a slow pipe, in several batches\`);
await batch.flush();`);
  let text = "";
  const chunks = program.stdout.pipeThrough(new TextDecoderStream());
  for await (const chunk of chunks) {
    if (text.length < 200_000) await turns(5);
    text += chunk;
  }
  assert((await program.status).success);
  const lines = text.split("\n");
  assertEquals(lines.pop(), "");
  assertEquals(lines.length, 40_000);
  lines.forEach((line, index) =>
    assertEquals(line, `${index} é€👤 of a slow pipe, in several batches`)
  );
});

Deno.test("batchOutput() on the standard output of Deno keeps no lines in memory after it wrote them", async () => {
  const program = startProgram(`
const line = "x".repeat(490);
for (let n = 0; n < 100_000; n++) batch(line + n);
await batch.flush();
console.log(Deno.memoryUsage().heapUsed < 12e6 ? "small" : Deno.memoryUsage().heapUsed);`);
  const { stdout } = await program.output();
  const text = new TextDecoder().decode(stdout);
  assertEquals(
    text.slice(text.lastIndexOf("\n", text.length - 2)).trim(),
    "small",
  );
});

Deno.test("batchOutput() on the standard output of Deno writes the rest after each part", async () => {
  const program = startProgram(`
const write = Deno.stdout.writeSync;
Deno.stdout.writeSync = (bytes) => write.call(Deno.stdout, bytes.subarray(0, 7));
for (let line = 0; line < 3; line++) batch(\`line \${line} in parts\`);
await batch.flush();`);
  const { stdout } = await program.output();
  assertEquals(
    new TextDecoder().decode(stdout),
    "line 0 in parts\nline 1 in parts\nline 2 in parts\n",
  );
});
