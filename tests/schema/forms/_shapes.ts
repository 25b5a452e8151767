import { parseSafe } from "@gatehouse/web/data-schema";

/** True only for the same type, optional keys and all. */
export type Same<First, Second> = (<T>() => T extends First ? 1 : 2) extends
  (<T>() => T extends Second ? 1 : 2) ? true : false;

/** Compiles only for the same types. */
export function same<First, Second>(_: Same<First, Second>): void {}

export const query = (text: string) => new URLSearchParams(text);

export function issuesOf(
  schema: Parameters<typeof parseSafe>[0],
  input: unknown,
): unknown[] {
  const result = parseSafe(schema, input);
  return result.success
    ? []
    : result.issues.map(({ code, field }) => [code, field]);
}

export const text =
  "title=Tea&price=2&sold=on&size=3&tags=a&tags=b&from.city=Rome";
