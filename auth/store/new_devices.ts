import { createContextKey } from "../../router/internal.ts";
import type { ContextKey, RequestContext } from "../../router/mod.ts";

/** A device that becomes known when the login of its request is complete. */
export interface NewDevice {
  /** The account that it becomes a known device of. */
  readonly account: string;
  /** Makes the device known. */
  readonly remember: () => Promise<void>;
}

/** The new devices of a request. */
interface NewDevices {
  readonly devices: readonly NewDevice[];
  /** `true` as soon as the login of the request is complete. */
  readonly isLoggedIn: boolean;
}

const Devices: ContextKey<NewDevices> = /* @__PURE__ */ createContextKey<
  NewDevices
>(
  /* @__PURE__ */ Object.freeze({ devices: [], isLoggedIn: false }),
  { name: "NewDevices" },
);

/**
 * Makes a device known as soon as the login of the request is complete. A correct
 * password is not enough: an attacker who knows only the password of a user with
 * two factors would push out the user's devices.
 */
export async function rememberAtLogin(
  context: RequestContext,
  device: NewDevice,
): Promise<void> {
  const { devices, isLoggedIn } = context.get(Devices);
  if (isLoggedIn) return await device.remember();
  context.set(Devices, { devices: [...devices, device], isLoggedIn });
}

/** Makes the new devices of a request known, because its login is complete. */
export async function rememberDevices(context: RequestContext): Promise<void> {
  const { devices } = context.get(Devices);
  context.set(Devices, { devices: [], isLoggedIn: true });
  for (const { remember } of devices) await remember();
}

/** Returns the accounts of the new devices, for a login that must wait. */
export function accountsOfDevices(context: RequestContext): readonly string[] {
  return context.get(Devices).devices.map(({ account }) => account);
}
