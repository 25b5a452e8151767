import type { AuditEntry } from "../store/audit.ts";
import { expect } from "../../session/testing.ts";
import { type Check, newId } from "./check.ts";

/** The contract of the audit log. */
export const auditChecks: readonly Check[] = [
  ["audit.list() returns pages, newest first", async ({ audit }) => {
    const user = newId();
    const entries = [entryOf(user, 30), entryOf(user, 20), entryOf(user, 10)];
    for (const entry of entries.toReversed()) await audit.add(entry);
    const first = await audit.list({ of: user, limit: 2 });
    expect("first", first.entries, entries.slice(0, 2));
    const rest = await audit.list({ of: user, limit: 2, after: first.next });
    expect("rest", rest.entries, entries.slice(2));
    expect("next", rest.next, undefined);
    for (const after of ["", "x", "1", "' OR 1=1 --", "9".repeat(30)]) {
      const page = await audit.list({ of: user, after });
      expect(`after ${after}`, page.entries, []);
    }
  }],
  ["audit.list() returns each entry of one moment once", async ({ audit }) => {
    const user = newId();
    for (let n = 0; n < 5; n++) await audit.add(entryOf(user, 7));
    const ids = new Set<string>();
    let after: string | undefined;
    do {
      const page = await audit.list({ of: user, limit: 2, after });
      for (const { id } of page.entries) ids.add(id);
      after = page.next;
    } while (after !== undefined);
    expect("ids", ids.size, 5);
  }],
  ["audit.list() finds by account and action", async ({ audit }) => {
    const [user, other] = [newId(), newId()];
    const entry = { ...entryOf(user, 5), actorId: other };
    await audit.add(entry);
    expect("user", (await audit.list({ of: user })).entries, [entry]);
    expect("actor", (await audit.list({ of: other })).entries, [entry]);
    expect("no account", (await audit.list({ of: newId() })).entries, []);
    const byAction = async (action: string) =>
      (await audit.list({ of: user, action })).entries.length;
    expect("action", await byAction("role"), 1);
    expect("other action", await byAction("remove"), 0);
  }],
  ["audit.forget() and audit.prune() remove", async ({ audit }) => {
    const [user, other] = [newId(), newId()];
    await audit.add(entryOf(user, -20));
    await audit.add({ ...entryOf(user, -5), actorId: other });
    await audit.add({ ...entryOf(other, -5), actorId: user });
    await audit.forget(user);
    const reasons = (await audit.list({ of: user })).entries
      .map(({ reason, userId }) => [userId === user, reason]);
    expect("kept", reasons.filter(([own]) => !own), [[false, "Why"]]);
    expect("gone", reasons.filter(([own]) => own), [[true, ""], [true, ""]]);
    await audit.prune(-10);
    expect("pruned", (await audit.list({ of: user })).entries.length, 2);
  }],
];

function entryOf(userId: string, at: number): AuditEntry {
  const actorId = userId;
  return { id: newId(), at, actorId, userId, action: "role", reason: "Why" };
}
