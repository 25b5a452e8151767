import { createContextKey, safeRedirectPath } from "../../router/internal.ts";
import type { JSONValue } from "../../session/mod.ts";
import type { ContextKey, RequestContext } from "../../router/mod.ts";
import type { TOTPSetup } from "../../auth/second_factor/mod.ts";
import type { Messages } from "../messages/messages.ts";
import type { Services } from "./services.ts";

/** The values of a form or of a JSON request, by name. */
export type Input = ReadonlyMap<string, unknown>;

/** The input of the request, which the controller has read. */
export const RequestInput: ContextKey<Input> = /* @__PURE__ */ createContextKey<
  Input
>(new Map(), { name: "AccountInput" });

/** The arguments of an action. */
export interface Call {
  readonly context: RequestContext;
  readonly services: Services;
  readonly messages: Messages;
  readonly input: Input;
}

/** The next steps that the result of an action names. */
export const NEXT_STEPS = [
  "done",
  "code",
  "second-factor",
  "second-factor-setup",
  "step",
  "login",
  "sent",
  "provider",
  "email",
] as const;

/** The result of an action. */
export type Outcome = Done | Failed;

/** An action that succeeded. */
export interface Done {
  readonly ok: true;
  /** The next step of the user, for scripts. */
  readonly next: typeof NEXT_STEPS[number];
  /** The path of the next page. */
  readonly location: string;
  /** The message of the next page, which the session keeps. */
  readonly message?: string;
  /** The message of the next page, for a browser without a login. */
  readonly notice?: Notice;
  /** New recovery codes, which the response shows once. */
  readonly recoveryCodes?: readonly string[];
  /** The values that only this response contains, such as a new API key. */
  readonly shown?: Shown;
}

/** Values that only one response contains. */
export type Shown = Readonly<Record<string, JSONValue>>;

/** The messages for browsers without a login, by their names in the URL. */
export type Notice =
  | "sent"
  | "reset"
  | "restored"
  | "logged-out"
  | "deleted"
  | "long-path";

/** An action that failed. */
export interface Failed {
  readonly ok: false;
  readonly status: number;
  /** The error of the whole form. */
  readonly error?: string;
  /** The errors by the names of the inputs. */
  readonly errors?: Readonly<Record<string, string>>;
  /** The seconds until the next attempt. */
  readonly retryAfter?: number;
  /** The same setup of an authenticator app, to show the form again. */
  readonly setup?: TOTPSetup;
  /** The path of the next page, if the URL does not have it. */
  readonly returnTo?: string;
  /** A passkey that the device should forget, for the script of passkeys. */
  readonly unknownPasskey?: {
    readonly rpId: string;
    readonly credentialId: string;
  };
}

/** Creates a result whose message the next page shows. */
export function done(location: string, message: string): Done {
  return { ok: true, next: "done", location, message };
}

/** Creates a result with an error of the whole form. */
export function refused(error: string, status = 422): Failed {
  return { ok: false, status, error };
}

/** Creates a result with errors of inputs. */
export function invalid(errors: Readonly<Record<string, string>>): Failed {
  return { ok: false, status: 422, errors };
}

/** Creates the result of too many attempts. */
export function throttled({ messages }: Call, retryAfter: number): Failed {
  return {
    ok: false,
    status: 429,
    error: messages.wait(retryAfter),
    retryAfter,
  };
}

/** Creates the result of a link that does not work. */
export function expired({ messages }: Call): Failed {
  return { ok: false, status: 400, error: messages.linkExpiredTitle };
}

/**
 * The longest path that a login returns to, in characters. The data of emails and
 * of pending logins have room for it.
 */
const LONGEST_PATH = 2_000;

/** Returns `true` for a path that is too long to return to. */
export function isLongPath(path: string): boolean {
  return path.length > LONGEST_PATH;
}

/** Returns `true` if the path of the next page is too long, so that it is lost. */
export function hasLongPath({ url }: RequestContext): boolean {
  const path = url.searchParams.get("returnTo") ?? "/";
  // In the address, a letter such as "é" takes six characters.
  const target = URL.parse(path, url.origin);
  return isLongPath(path) ||
    target !== null && isLongPath(target.href.slice(target.origin.length));
}

/** The search params that keep the path of the next page. */
export type ReturnToSearch = { readonly returnTo: string } | undefined;

/** Returns the path of the next page, which is always on this origin. */
export function returnToOf(
  context: RequestContext,
  { home }: Pick<Services, "home">,
): string {
  return searchOf(context)?.returnTo ?? home;
}

/** Returns the search params that keep the path of the next page. */
export function searchOf(context: RequestContext): ReturnToSearch {
  const { searchParams } = context.url;
  const returnTo = safeRedirectPath(searchParams.get("returnTo"), "");
  return returnTo === "" || hasLongPath(context) ? undefined : { returnTo };
}

/** Returns the search params that keep a path, unless it is the home page. */
export function searchFor(
  returnTo: string,
  { home }: Pick<Services, "home">,
): ReturnToSearch {
  return returnTo === home ? undefined : { returnTo };
}
