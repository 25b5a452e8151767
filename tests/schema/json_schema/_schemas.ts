import type { StandardSchemaV1 } from "@gatehouse/web/data-schema";

export const text = { type: "string" };

/** Creates a schema of another library, with its JSON Schema. */
export function foreign(
  document: Record<string, unknown>,
  validate: StandardSchemaV1["~standard"]["validate"],
): StandardSchemaV1 {
  const give = () => document;
  const jsonSchema = { input: give, output: give };
  const standard = {
    version: 1 as const,
    vendor: "other",
    validate,
    jsonSchema,
  };
  return { "~standard": standard };
}

export const refused = () => ({ issues: [{ message: "Required" }] });
