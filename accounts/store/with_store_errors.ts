import type { AuditStore } from "./audit.ts";
import { AccountStoreError } from "./errors.ts";
import type { AccountStore } from "./store.ts";
import type { TeamStore } from "./teams.ts";

/** The names of the methods of a store. The compiler requires all of them. */
type Methods<Store> = {
  readonly [
    Name in keyof Store as Store[Name] extends (...args: never[]) => unknown
      ? Name
      : never
  ]: true;
};

const ACCOUNTS: Methods<AccountStore> = {
  migrate: true,
  find: true,
  findByEmail: true,
  findLogin: true,
  list: true,
  due: true,
  create: true,
  update: true,
  setRole: true,
  change: true,
  verifyEmail: true,
  rehash: true,
  remove: true,
  addWayIn: true,
  findWayIn: true,
  waysIn: true,
  useWayIn: true,
  renameWayIn: true,
  removeWayIn: true,
  secret: true,
};

const AUDIT: Methods<AuditStore> = {
  add: true,
  list: true,
  forget: true,
  prune: true,
};

const TEAMS: Methods<TeamStore> = {
  create: true,
  find: true,
  rename: true,
  remove: true,
  list: true,
  membership: true,
  members: true,
  add: true,
  setRole: true,
  removeMember: true,
  invite: true,
  findInvitation: true,
  invitations: true,
  invitationsFor: true,
  takeInvitation: true,
  removeInvitation: true,
};

/**
 * Returns a store whose failures are all an `AccountStoreError`. A store of the
 * application rejects with the errors of its driver, which would be a 500.
 */
export function withStoreErrors(store: AccountStore): AccountStore {
  const { audit, teams, values } = store;
  return {
    ...withErrors(store, ACCOUNTS),
    values,
    audit: withErrors(audit, AUDIT),
    ...teams && { teams: withErrors(teams, TEAMS) },
  };
}

function withErrors<Store extends object>(
  store: Store,
  methods: Methods<Store>,
): Store {
  const target = store as Record<string, (...args: unknown[]) => unknown>;
  const wrapped = Object.keys(methods).map((name) => [
    name,
    async (...args: unknown[]) => {
      try {
        return await target[name]!(...args);
      } catch (cause) {
        if (cause instanceof AccountStoreError) throw cause;
        throw new AccountStoreError({ cause });
      }
    },
  ]);
  return Object.fromEntries(wrapped);
}
