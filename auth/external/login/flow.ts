import { externalAuthCallbacks } from "./callbacks.ts";
import { externalAuthResult } from "./finish.ts";
import { startExternalAuth } from "./start.ts";

/** The functions of a login. */
export const FLOW = {
  start: startExternalAuth,
  result: externalAuthResult,
  callbacks: externalAuthCallbacks,
} as const;
