import type {
  StandardSchemaResult,
  StandardSchemaV1,
} from "@gatehouse/web/data-schema";

/** Creates a schema that breaks the standard in one way. */
export function broken(
  validate: (value: unknown) => unknown,
  props: object = {},
): StandardSchemaV1 {
  const standard = {
    version: 1,
    vendor: "broken",
    validate: validate as (value: unknown) => StandardSchemaResult<unknown>,
    ...props,
  } as const;
  return { "~standard": standard };
}
