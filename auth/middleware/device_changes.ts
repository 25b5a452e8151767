import { createContextKey } from "../../router/internal.ts";
import type { ContextKey, Middleware } from "../../router/mod.ts";
import { createLabel, labelOf } from "../../session/internal.ts";
import type { SessionLabel } from "../../session/mod.ts";
import { sha256Base64Url } from "../../session/secrets.ts";
import { currentSession } from "../login/current_session.ts";

/** A session that is used on a device other than before. */
export interface DeviceChange {
  /** The user of the session. */
  readonly userId: string | number;
  /** The id of the session in its store, for `userSessions(context).end()`. */
  readonly sessionId: string;
  /** The browser and the address of the request. */
  readonly device: SessionLabel;
}

/** Options for {@linkcode deviceChanges}. */
export interface DeviceChangesOptions {
  /**
   * Warns the user, for example by email. Its errors are printed, and the request
   * continues.
   *
   * @param change The session and the new device.
   */
  readonly onChange: (change: DeviceChange) => void | Promise<void>;
  /**
   * The properties of a request that belong to its device: the browser without
   * its version, and the network of the address (/24 of IPv4, /48 of IPv6).
   * Phones often change their network.
   *
   * @default {["browser"]}
   */
  readonly properties?: readonly ("browser" | "network")[];
  /**
   * `true` to let `requireFreshAuth` refuse the session after a change, until the
   * user logs in again.
   *
   * @default {false}
   */
  readonly stepUp?: boolean;
}

/** The key in the session. A login removes its value. */
const KEY = "__auth.devices";

/** The maximum number of devices of a session, and so of warnings. */
const MAX_DEVICES = 10;

/** `true` if the session was used on another device since its login. */
export const StepUp: ContextKey<boolean> = /* @__PURE__ */ createContextKey(
  false,
  { name: "StepUp" },
);

/**
 * Creates a middleware that notices if a session is used on another device, as
 * with a stolen cookie. It warns, and can require a new login for sensitive
 * changes. It never ends a session: browsers and networks also change without an
 * attack, and a thief can imitate the browser.
 *
 * Put it after the session middleware. The device of the login is the user's. A
 * session causes at most nine warnings, each for another device.
 *
 * Trust: to compare networks, the client's address must be correct. Behind a
 * proxy, set the router's `trustedProxies`.
 *
 * @example Warn the user
 * ```ts
 * import { completeAuth } from "@gatehouse/web/auth";
 * import { deviceChanges } from "@gatehouse/web/auth-middleware";
 * import { createRouter } from "@gatehouse/web/fetch-router";
 * import { session } from "@gatehouse/web/session-middleware";
 * import { createTestClient } from "@gatehouse/web/testing";
 * import { assertEquals } from "@std/assert";
 *
 * const warnings: string[] = [];
 * const devices = deviceChanges({
 *   onChange: ({ device, userId }) =>
 *     void warnings.push(`${userId}: ${device.userAgent}`),
 * });
 * const router = createRouter({ middleware: [session(), devices] });
 * router.post("/login", async (context) => {
 *   await completeAuth(context, 7);
 *   return new Response();
 * });
 * router.get("/", () => new Response("Hello"));
 *
 * const { fetch } = createTestClient(router);
 * const on = (browser: string) => ({ headers: { "User-Agent": browser } });
 * await fetch("/login", { method: "POST", ...on("Firefox/150.0") });
 * for (const browser of ["Firefox/150.0", "Firefox/151.0", "curl/8"]) {
 *   await fetch("/", on(browser));
 * }
 * assertEquals(warnings, ["7: curl/8"]);
 * ```
 *
 * @param options The function that warns, and the compared properties.
 * @returns The middleware.
 * @throws {TypeError} If `properties` is empty.
 */
export function deviceChanges(
  options: DeviceChangesOptions,
): Middleware<readonly []> {
  const { properties = ["browser"], onChange, stepUp = false } = options;
  if (properties.length === 0) {
    throw new TypeError("Cannot create deviceChanges: properties is empty");
  }
  return async (context) => {
    const session = await currentSession(context, "compare devices").load();
    const { userId } = session;
    if (userId === undefined) return;
    const device = createLabel(context);
    const hash = await hashOf(device, properties);
    const known = session.get(KEY) as readonly string[] | undefined ??
      [await hashOf(labelOf(session), properties)];
    const isKnown = known.includes(hash);
    if (stepUp && (known.length > 1 || !isKnown)) context.set(StepUp, true);
    if (isKnown || known.length >= MAX_DEVICES) return;
    // The value is an array, because sessions in cookies keep objects under
    // such keys for ten minutes.
    session.set(KEY, [...known, hash]);
    // The session is saved before the warning, so that concurrent requests
    // cause at most one more warning.
    await session.commit();
    try {
      await onChange({ userId, sessionId: session.id, device });
    } catch (error) {
      console.error(error);
    }
  };
}

/** Returns a short hash, because cookies have little room. */
async function hashOf(
  { address = "", userAgent = "" }: SessionLabel,
  properties: readonly ("browser" | "network")[],
): Promise<string> {
  const parts = [
    properties.includes("browser") && userAgent.replace(/[\d._]+/g, "0"),
    properties.includes("network") && networkOf(address),
  ];
  return (await sha256Base64Url(JSON.stringify(parts))).slice(0, 12);
}

/** Returns the /24 of an IPv4 address, and the /48 of an IPv6 address. */
function networkOf(address: string): string {
  if (!address.includes(":")) return address.split(".", 3).join(".");
  const [head = "", tail] = address.toLowerCase().split("::");
  const groups = head === "" ? [] : head.split(":");
  // A short address has zeros in place of "::".
  const zeros = tail === undefined ? [] : Array<string>(8).fill("0");
  return [...groups, ...zeros].slice(0, 3).join(":");
}
