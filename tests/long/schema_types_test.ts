import { assertEquals, assertStringIncludes } from "@std/assert";
import config from "../../deno.json" with { type: "json" };

const ROOT = new URL("../../", import.meta.url);

/** Checks a program under `exactOptionalPropertyTypes`. */
async function checkExactly(program: string): Promise<string> {
  const folder = await Deno.makeTempDir();
  try {
    const imports = {
      "@gatehouse/web/data-schema": new URL("schema/mod.ts", ROOT).href,
    };
    const compilerOptions = { strict: true, exactOptionalPropertyTypes: true };
    await Deno.writeTextFile(
      `${folder}/deno.json`,
      JSON.stringify({ imports, compilerOptions, lock: config.lock }),
    );
    await Deno.writeTextFile(`${folder}/main.ts`, program);
    const { stderr } = await new Deno.Command(Deno.execPath(), {
      args: ["check", "--quiet", "main.ts"],
      cwd: folder,
      env: { NO_COLOR: "1" },
    }).output();
    return new TextDecoder().decode(stderr);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

const SCHEMA = `
import { defaulted, object, optional, parse, string, type InferInput, type InferOutput } from "@gatehouse/web/data-schema";
const User = object({ name: string(), bio: optional(string()), role: defaulted(string(), "user") });
`;

Deno.test("object() types are exact under exactOptionalPropertyTypes", async () => {
  assertEquals(
    await checkExactly(`${SCHEMA}
const exact: { name: string; bio?: string; role: string } = parse(User, {});
const input: InferInput<typeof User> = { name: "a", bio: undefined, role: undefined };
const output: InferOutput<typeof User> = { name: "a", role: "b" };
console.log(exact, input, output);
`),
    "",
  );
});

Deno.test("the output of object() can't have an explicit undefined", async () => {
  const errors = await checkExactly(`${SCHEMA}
const output: InferOutput<typeof User> = { name: "a", bio: undefined, role: "b" };
console.log(output);
`);
  assertStringIncludes(errors, "exactOptionalPropertyTypes");
});
