/**
 * Tests that fail on a runtime for now, and why: `"file: name"` to the reason.
 * One that passes, or is gone, must leave this list.
 */
export const KNOWN_FAILURES: Record<string, Record<string, string>> = {
  bun: {},
  workers: {},
};
