import type { EventRow } from "./_event_log.ts";
import { EXTERNAL_EVENTS } from "./_external_events.ts";
import { GUARD_EVENTS } from "./_guard_events.ts";
import { PASSKEY_EVENTS } from "./_passkey_events.ts";
import { SESSION_EVENTS } from "./_session_events.ts";

/** Every reason of every security event of the library. */
export const EVENT_ROWS: readonly EventRow[] = [
  ...GUARD_EVENTS,
  ...SESSION_EVENTS,
  ...PASSKEY_EVENTS,
  ...EXTERNAL_EVENTS,
];
