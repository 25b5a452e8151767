import type { WorkloadName } from "../_schema_data.ts";

/** A library, and how it makes each validator. */
export interface Library {
  readonly name: string;
  /**
   * `true` if it generates code, which Workers allow only while they start. Its
   * times are shown, but no bound compares them.
   */
  readonly generatesCode?: boolean;
  /** Makes functions that count a value's issues, reading each message. */
  readonly validators: Readonly<
    Record<WorkloadName, () => (value: unknown) => number>
  >;
}

/** Reads all issues, as a caller that displays them does. */
export function messages(
  issues: readonly Issue[] | undefined,
): number {
  let count = 0;
  for (const { message, path } of issues ?? []) {
    if (message.length > 0 && path !== null) count++;
  }
  return count;
}

interface Issue {
  readonly message: string;
  readonly path?: unknown;
}

/** The values of an order's status. */
export const STATUSES = ["open", "paid", "sent"] as const;

/** The types of a product's images. */
export const IMAGE_TYPES = ["jpg", "png"] as const;
