import { parseRecord, type SessionRecord } from "../record.ts";
import { findMoved, type Move, TOMBSTONE_TTL } from "./_id_rotation.ts";
import type { CallStore } from "./circuit_breaker.ts";
import type { SessionConfig } from "./driver.ts";

/** The arrival of a request. */
interface Arrival {
  /** The time in epoch milliseconds. */
  readonly time: number;
  /** The number of requests of this process that had arrived. */
  readonly count: number;
}

/**
 * The old ids of sessions whose id has just changed, in this process. A change is
 * complete with the response that has the new id.
 */
export class OldIds {
  /** The number of requests that have arrived. */
  arrivals = 0;
  /**
   * The old ids of the current period of `TOMBSTONE_TTL`. The value is the number
   * of requests that arrived before the change was complete.
   */
  #ids = new Map<string, number>();
  /**
   * The old ids of the previous period, which are dropped together. With 10,000
   * ids, deleting one takes 9 to 16 µs, because iteration walks over deleted
   * entries.
   */
  #previousIds = new Map<string, number>();
  /** The beginning of the current period, in epoch milliseconds. */
  #since = -Infinity;

  /** Adds the id of a session that changes now. */
  add(id: string, now: number): void {
    if (now - this.#since >= TOMBSTONE_TTL) {
      this.#previousIds = this.#ids;
      this.#ids = new Map();
      this.#since = now;
    }
    this.#ids.set(id, Infinity);
  }

  /** Removes an id that did not change after all. */
  remove(id: string): void {
    this.#ids.delete(id);
    this.#previousIds.delete(id);
  }

  /** Remembers that the change of an id is complete. */
  complete(id: string): void {
    for (const ids of [this.#ids, this.#previousIds]) {
      if (ids.has(id)) ids.set(id, this.arrivals);
    }
  }

  /**
   * Returns the session from before its id changed, if the request arrived
   * before the change was complete. Without this, a page that the browser
   * requested at the same time would show no user.
   */
  async open(
    { before, id, movedAt, next }: Move & { readonly id: string },
    arrival: Arrival,
    { now, timeouts }: SessionConfig,
    callStore: CallStore,
  ): Promise<SessionRecord | null> {
    const arrivals = this.#ids.get(id) ?? this.#previousIds.get(id);
    // Other processes only know the time, which a slow store makes inexact. A
    // clock that is far behind must not keep an old id alive.
    const isEarly = arrivals === undefined
      ? arrival.time < movedAt && movedAt - arrival.time < TOMBSTONE_TTL
      : arrival.count <= arrivals;
    if (!isEarly) return null;
    const record = parseRecord(before);
    if (record === null || timeouts.expiryOf(record) <= now()) return null;
    const moved = await findMoved(callStore, next);
    // The session may have ended in the meantime.
    const isLive = moved !== null && moved.record.userId === record.userId;
    return isLive ? record : null;
  }
}
