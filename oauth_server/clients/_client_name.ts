/** The longest name of a client, in characters. */
const MAX_LENGTH = 60;

/**
 * Returns the name that a client gives itself, in one line without invisible
 * characters and changes of direction, or `null` if nothing is left of it.
 */
export function clientName(name: unknown): string | null {
  if (typeof name !== "string") return null;
  const text = name.slice(0, 10 * MAX_LENGTH)
    .replaceAll(/[\s\p{C}\p{Z}]+/gu, " ").trim();
  return [...text].slice(0, MAX_LENGTH).join("").trim() || null;
}
