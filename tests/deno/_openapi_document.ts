import { assertEquals } from "@std/assert";
import { createConfig, lintFromString } from "npm:@redocly/openapi-core@2.64.0";
import { Validator } from "npm:@seriousme/openapi-schema-validator@2.11.0";

/** Checks a document against the schema of OpenAPI, and the rules of Redocly. */
export async function checkDocument(source: string): Promise<void> {
  const { valid, errors } = await new Validator().validate(JSON.parse(source));
  assertEquals(errors, undefined);
  assertEquals(valid, true);

  const config = await createConfig({ extends: ["recommended"] });
  const problems = await lintFromString({ source, config });
  const texts = problems.map(({ message, ruleId, severity }) =>
    `${severity} ${ruleId}: ${message}`
  );
  assertEquals(texts.filter((text) => text.startsWith("error")), []);
}
