import { parseRecord, type SessionRecord } from "../record.ts";
import {
  type CallStore,
  findMoved,
  type Move,
  TOMBSTONE_TTL,
} from "./_id_rotation.ts";
import type { SessionConfig } from "./driver.ts";

/** The arrival of a request. */
interface Arrival {
  /** The time in epoch milliseconds. */
  readonly time: number;
  /** The number of requests of this process that had arrived. */
  readonly count: number;
}

/** An old id, as long as requests with it can arrive. */
interface OldId {
  /** The time of the change in epoch milliseconds. */
  readonly changedAt: number;
  /** The number of requests that arrived before the change was complete. */
  arrivals: number;
}

/**
 * The old ids of sessions whose id has just changed, in this process. A change is
 * complete with the response that has the new id.
 */
export class OldIds {
  /** The number of requests that have arrived. */
  arrivals = 0;
  /** Oldest first. */
  readonly #ids = new Map<string, OldId>();

  /** Adds the id of a session that changes now. */
  add(id: string, now: number): void {
    for (const [old, { changedAt }] of this.#ids) {
      if (now - changedAt < TOMBSTONE_TTL) break;
      this.#ids.delete(old);
    }
    this.#ids.set(id, { changedAt: now, arrivals: Infinity });
  }

  /** Removes an id that did not change after all. */
  remove(id: string): void {
    this.#ids.delete(id);
  }

  /** Remembers that the change of an id is complete. */
  complete(id: string): void {
    const old = this.#ids.get(id);
    if (old !== undefined) old.arrivals = this.arrivals;
  }

  /**
   * Returns the session from before its id changed, if the request arrived before
   * the change was complete. Otherwise a page that the browser requested at the
   * same time would show no user.
   */
  async open(
    { before, id, movedAt, next }: Move & { readonly id: string },
    arrival: Arrival,
    { now, timeouts }: SessionConfig,
    callStore: CallStore,
  ): Promise<SessionRecord | null> {
    const old = this.#ids.get(id);
    // Other processes only know the time, which a slow store makes inexact.
    const isEarly = old === undefined
      ? arrival.time < movedAt
      : arrival.count <= old.arrivals;
    if (!isEarly) return null;
    const record = parseRecord(before);
    if (record === null || timeouts.expiryOf(record) <= now()) return null;
    const moved = await findMoved(callStore, next);
    // The session may have ended in the meantime.
    const isLive = moved !== null && moved.record.userId === record.userId;
    return isLive ? record : null;
  }
}
