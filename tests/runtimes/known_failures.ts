/**
 * Tests that fail on a runtime for now: `"file: name"` to the reason. Remove a
 * test from here once it passes or no longer exists.
 */
export const KNOWN_FAILURES: Record<string, Record<string, string>> = {
  "bun": {},
  "node 24": {},
  "node 26": {},
  "workers": {},
};
