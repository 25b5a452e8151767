import type {
  Passkey,
  PasskeyStore,
  StoredPasskey,
} from "../../auth/passkey/mod.ts";
import type { JSONValue } from "../../session/mod.ts";
import type { AccountStore, WayIn } from "../store/store.ts";
import type { Settings } from "./services.ts";

/** The kind of passkeys among the ways into an account. */
export const PASSKEY = "passkey";

/** Counts the passkeys with which the user can log in, which may be off. */
export async function countPasskeys(
  { features, store }: Settings,
  userId: string,
): Promise<number> {
  if (!features.has("passkeys")) return 0;
  return (await store.waysIn(userId, PASSKEY)).length;
}

/** Creates the store of passkeys on the ways into accounts. */
export function createPasskeyStore(store: AccountStore): PasskeyStore {
  const wayOf = (id: string, userId: string | number) => ({
    accountId: String(userId),
    kind: PASSKEY,
    id,
  });
  return {
    async get(id): Promise<StoredPasskey | null> {
      const found = await store.findWayIn(PASSKEY, id);
      return found === null
        ? null
        : { ...toPasskey(found.way), version: found.account.version };
    },
    async list(userId) {
      const ways = await store.waysIn(String(userId), PASSKEY);
      return ways.map(toPasskey);
    },
    async create(passkey, version) {
      return version !== undefined &&
        await store.addWayIn(toWayIn(passkey), version);
    },
    async update(id, { backedUp, counter, usedAt }, ifCounter) {
      const found = await store.findWayIn(PASSKEY, id);
      if (found === null) return false;
      const data = toWayIn({ ...toPasskey(found.way), backedUp }).data;
      return await store.useWayIn(
        PASSKEY,
        id,
        { usedAt, counter, data },
        ifCounter,
      );
    },
    rename: (id, userId, name) => store.renameWayIn(wayOf(id, userId), name),
    remove: (id, userId) => store.removeWayIn(wayOf(id, userId)),
  };
}

/** Removes the ways into an account that match. Returns their number. */
export async function removeWays(
  store: AccountStore,
  accountId: string,
  matches: (way: WayIn) => boolean,
): Promise<number> {
  const ways = (await store.waysIn(accountId)).filter(matches);
  for (const { id, kind } of ways) {
    await store.removeWayIn({ accountId, kind, id });
  }
  return ways.length;
}

function toWayIn(passkey: Passkey): WayIn {
  const { id, userId, name, createdAt, usedAt, counter, ...data } = passkey;
  return {
    kind: PASSKEY,
    id,
    accountId: String(userId),
    name,
    createdAt,
    usedAt,
    counter,
    data: data as unknown as JSONValue,
  };
}

function toPasskey({ kind: _, accountId, data, ...way }: WayIn): Passkey {
  return { ...way, userId: accountId, ...data as object } as Passkey;
}
