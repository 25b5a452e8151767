/** A problem with a value. It never contains the value itself. */
export interface Issue {
  /** The code, for programs: `required`, `type`, `min_length`, … */
  readonly code: string;
  /** The keys that lead from the whole value to the invalid part. */
  readonly path: readonly PropertyKey[];
  /** The message, for people. */
  readonly message: string;
  /** The facts behind the message, for example `{ min: 8 }`. */
  readonly params: IssueParams;
  /** The name of the form field, if the input was a form. */
  readonly field?: string;
}

/** The facts behind a message. */
export type IssueParams = Readonly<Record<string, unknown>>;

/** A message, or a function that creates it from the facts. */
export type Message = string | ((params: IssueParams) => string);

/** Messages by issue code, for one language or one parse. */
export type Messages = Readonly<Record<string, Message>>;

/** Options of every schema and check. */
export interface MessageOptions {
  /**
   * The message for an invalid value.
   *
   * @default {a short English sentence}
   */
  readonly message?: Message | undefined;
}

/** An issue of any library that implements Standard Schema. */
export interface FlattenableIssue {
  /** The message, for people. */
  readonly message: string;
  /** The path, as keys or as objects with a key. */
  readonly path?:
    | readonly (PropertyKey | { readonly key: unknown })[]
    | undefined;
  /** The name of the form field, if the input was a form. */
  readonly field?: string;
}

/** Messages grouped by form field. */
export interface FlatIssues {
  /** Messages about the whole form. */
  readonly form: readonly string[];
  /** Messages by field name, or by path (`a.0.b`) without a form. */
  readonly fields: Readonly<Record<string, readonly string[] | undefined>>;
}

/**
 * Groups the messages of issues by form field.
 *
 * @example Showing the message next to its field
 * ```ts
 * import { assertEquals } from "@std/assert";
 * import { flatten, object, parseSafe, string } from "@gatehouse/web/data-schema";
 *
 * const result = parseSafe(object({ name: string() }), {});
 *
 * if (!result.success) {
 *   assertEquals(flatten(result.issues).fields.name, ["Required"]);
 * }
 * ```
 *
 * @param issues The issues of this or any other library.
 * @returns The messages, in the order of the issues.
 */
export function flatten(
  issues: readonly (Issue | FlattenableIssue)[],
): FlatIssues {
  const form: string[] = [];
  const fields: Record<string, string[]> = Object.create(null);
  for (const { field, path = [], message } of issues) {
    const name = field ?? path.map(nameOf).join(".");
    if (path.length === 0) form.push(message);
    else (fields[name] ??= []).push(message);
  }
  return { form, fields };
}

function nameOf(key: PropertyKey | { readonly key: unknown }): string {
  return String(typeof key === "object" ? key.key : key);
}
