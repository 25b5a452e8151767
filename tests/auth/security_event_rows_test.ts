/**
 * Causes every security event of the library. `tests/deno/event_sources_test.ts`
 * checks that no event is missing here.
 */
import { assertEquals } from "@std/assert";
import { EventLog } from "./_event_log.ts";
import { EVENT_ROWS } from "./_event_rows.ts";

/** The categories and types (ECS, Categorization Fields). */
const KINDS: Readonly<Record<string, readonly [string[], string[]]>> = {
  "login": [["authentication"], ["start"]],
  "lockout": [["authentication"], ["info"]],
  "logout": [["authentication", "session"], ["end"]],
  "logout-everywhere": [["session"], ["end"]],
  "session-end": [["session"], ["end"]],
  "access-denied": [["web"], ["access"]],
  "token-reuse": [["intrusion_detection"], ["denied"]],
  "factor-add": [["iam"], ["user", "change"]],
  "factor-remove": [["iam"], ["user", "change"]],
};

for (const row of EVENT_ROWS) {
  const { event, from, target, then, user } = row;
  const name = `${event}${target === undefined ? "" : " of another user"}`;
  Deno.test(`${from} reports "${name}" once, with its fields`, async () => {
    const log = new EventLog();
    await row.cause(log);
    const [first, ...more] = await log.take();
    const [action = "", outcome, reason] = event.split(" ");
    const [category, type] = KINDS[action]!;
    assertEquals(
      first?.event,
      {
        kind: "event",
        action,
        category,
        type,
        outcome,
        ...reason !== undefined && { reason },
      } as typeof first.event,
    );
    assertEquals(
      first?.user,
      user === undefined && target === undefined ? undefined : {
        ...user !== undefined && { id: user },
        ...target !== undefined && { target: { id: target } },
      },
    );
    assertEquals(
      more.map(({ event: { action, outcome, reason } }) =>
        `${action} ${outcome} ${reason}`
      ),
      then === undefined ? [] : [then],
    );
  });
}
