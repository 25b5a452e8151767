/** An entry of the audit log. It names accounts by their ids only. */
export interface AuditEntry {
  /** The id of the entry. */
  readonly id: string;
  /** The time in epoch milliseconds. */
  readonly at: number;
  /** The id of the account that acted. */
  readonly actorId: string;
  /** The id of the account that the action changed. */
  readonly userId: string;
  /** The action, such as `"disable"`. */
  readonly action: string;
  /** The reason, or other details. It is empty once the account is removed. */
  readonly reason: string;
}

/** Options for {@linkcode AuditStore.list}. */
export interface AuditListOptions {
  /**
   * The `next` of the page before.
   *
   * @default {undefined}
   */
  readonly after?: string | undefined;
  /**
   * The maximum number of entries, from 1 to 1,000.
   *
   * @default {50}
   */
  readonly limit?: number;
  /**
   * The id of an account that acted or was changed.
   *
   * @default {undefined}
   */
  readonly of?: string | undefined;
  /**
   * The action.
   *
   * @default {undefined}
   */
  readonly action?: string | undefined;
}

/** A page of the audit log, newest first. */
export interface AuditPage {
  /** The entries. */
  readonly entries: readonly AuditEntry[];
  /** The value for `after`, or `undefined` on the last page. */
  readonly next: string | undefined;
}

/** The audit log of a store of accounts. */
export interface AuditStore {
  /**
   * Stores an entry.
   *
   * @param entry The entry.
   */
  add(entry: AuditEntry): Promise<void>;
  /**
   * Returns a page of entries, newest first.
   *
   * @param options The page, and conditions.
   */
  list(options?: AuditListOptions): Promise<AuditPage>;
  /**
   * Removes the reasons from the entries of an account that is removed.
   *
   * @param userId The id of the account.
   */
  forget(userId: string): Promise<void>;
  /**
   * Removes old entries.
   *
   * @param before The time in epoch milliseconds before which entries are old.
   */
  prune(before: number): Promise<void>;
}

/** Returns a page of entries. The caller has read one more than the limit. */
export function toAuditPage(
  found: readonly AuditEntry[],
  limit: number,
): AuditPage {
  const entries = found.slice(0, limit);
  const last = entries.at(-1);
  const next = found.length > limit && last !== undefined
    ? `${last.at}.${last.id}`
    : undefined;
  return { entries, next };
}
