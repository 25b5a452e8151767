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

/** The next step of the user, for scripts. */
export type NextStep =
  | "done"
  | "code"
  | "second-factor"
  | "login"
  | "sent"
  | "provider"
  | "email";

/** The result of an action. */
export type Outcome = Done | Failed;

/** An action that succeeded. */
export interface Done {
  readonly ok: true;
  readonly next: NextStep;
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
export type Notice = "sent" | "reset" | "restored" | "logged-out" | "deleted";

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

/** Returns the path of the next page, which is always on this origin. */
export function returnToOf(
  { url }: RequestContext,
  { home }: Pick<Services, "home">,
): string {
  return safeRedirectPath(url.searchParams.get("returnTo"), home);
}

/** Returns the search params that keep the path of the next page. */
export function searchOf(
  { url }: RequestContext,
): { readonly returnTo: string } | undefined {
  const returnTo = safeRedirectPath(url.searchParams.get("returnTo"), "");
  return returnTo === "" ? undefined : { returnTo };
}
