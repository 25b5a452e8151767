import {
  deviceIndexOf,
  type FoundGrant,
  type GrantStore,
  type KeyedGrant,
} from "../grants/grant_store.ts";

/** Returns the waiting device with a name of its user code, or `null`. */
export async function findWaitingDevice(
  grants: GrantStore,
  name: string,
): Promise<KeyedGrant & FoundGrant | null> {
  const keys = await grants.keysOf(deviceIndexOf(name));
  // If two devices have the same code by chance, either could be meant.
  if (keys.length !== 1) return null;
  const [key] = keys;
  const found = await grants.read(key!);
  const { device } = found?.row ?? {};
  return device?.status === "waiting" && device.name === name
    ? { key: key!, ...found! }
    : null;
}
