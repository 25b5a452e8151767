/** The document of the example passes the checks of other tools. */
import { assertEquals } from "@std/assert";
import { createConfig, lintFromString } from "npm:@redocly/openapi-core@2.64.0";
import { Validator } from "npm:@seriousme/openapi-schema-validator@2.11.0";

const ROOT = new URL("../../", import.meta.url);

/** Returns the document as the program of the example prints it. */
async function printedDocument(): Promise<string> {
  const { stderr, stdout } = await new Deno.Command(Deno.execPath(), {
    args: ["run", "-R", "examples/app/openapi.ts"],
    cwd: ROOT,
  }).output();
  const decoder = new TextDecoder();
  // The program prints the omitted routes there.
  assertEquals(decoder.decode(stderr), "");
  return decoder.decode(stdout);
}

Deno.test("the OpenAPI document of the example is valid, and lints without errors", async () => {
  const source = await printedDocument();
  const { valid, errors } = await new Validator().validate(JSON.parse(source));
  assertEquals(errors, undefined);
  assertEquals(valid, true);

  const config = await createConfig({ extends: ["recommended"] });
  const problems = await lintFromString({ source, config });
  const texts = problems.map(({ message, ruleId, severity }) =>
    `${severity} ${ruleId}: ${message}`
  );
  assertEquals(texts.filter((text) => text.startsWith("error")), []);
});
