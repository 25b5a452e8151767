import { definition } from "./definition.ts";
import { layout } from "./pages/layout.ts";

/** The options of the accounts that tests need, too. */
export const accountOptions = {
  name: "Noticeboard",
  definition,
  layout,
  // Scanners for leaked secrets recognize keys by this prefix.
  apiKeys: { prefix: "board_key" },
  auditRetention: 90 * 24 * 60 * 60 * 1000,
} as const;
