import { parseSafe } from "@gatehouse/web/data-schema";

export const query = (text: string) => new URLSearchParams(text);

export function issuesOf(
  schema: Parameters<typeof parseSafe>[0],
  input: unknown,
): unknown[] {
  const result = parseSafe(schema, input);
  return result.success
    ? []
    : result.issues.map(({ code, path, field }) => [code, path, field]);
}
