import { readCursor } from "./cursor.ts";
import {
  type AuditEntry,
  type AuditListOptions,
  type AuditPage,
  type AuditStore,
  toAuditPage,
} from "./audit.ts";

/** The audit log of a store of accounts in memory. */
export class MemoryAuditStore implements AuditStore {
  #entries: AuditEntry[] = [];

  add(entry: AuditEntry): Promise<void> {
    this.#entries.push(entry);
    this.#entries.sort((a, b) => b.at - a.at || (a.id < b.id ? 1 : -1));
    return Promise.resolve();
  }

  list(options: AuditListOptions = {}): Promise<AuditPage> {
    const cursor = readCursor(options);
    if (cursor === null) return Promise.resolve(toAuditPage([], 1));
    const { after, limit } = cursor;
    const { action, of } = options;
    const found = this.#entries.filter((entry) =>
      (after === undefined || entry.at < after.createdAt ||
        entry.at === after.createdAt && entry.id < after.id) &&
      (action === undefined || entry.action === action) &&
      (of === undefined || entry.userId === of || entry.actorId === of)
    );
    return Promise.resolve(toAuditPage(found, limit));
  }

  forget(userId: string): Promise<void> {
    this.#entries = this.#entries.map((entry) =>
      entry.userId === userId ? { ...entry, reason: "" } : entry
    );
    return Promise.resolve();
  }

  prune(before: number): Promise<void> {
    this.#entries = this.#entries.filter(({ at }) => at >= before);
    return Promise.resolve();
  }
}
