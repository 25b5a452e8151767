import type { ServerMessages } from "../messages/messages.ts";
import type { GrantClient } from "../../auth/internal.ts";
import type { Markup } from "../../router/content/mod.ts";
import type { RequestContext } from "../../router/mod.ts";

/** Creates the content of a page, with `html`. */
export type Page<Parts> = (parts: Parts, context: RequestContext) => Markup;

/** A scope on the consent page. */
export interface ConsentScope {
  /** The scope. */
  readonly name: string;
  /** The scope in words. */
  readonly text: string;
  /** `true` if the user has not yet given it to this client. */
  readonly isNew: boolean;
}

/** The parts of the consent page. */
export interface ConsentPage {
  /** The client that asks. */
  readonly client: GrantClient;
  /**
   * `true` if the application knows the client. The names of other clients are
   * chosen by strangers.
   */
  readonly isKnown: boolean;
  /** The host to which the browser returns, or the scheme of a native app. */
  readonly redirectHost: string;
  /** `true` if the browser returns to a program on the user's own device. */
  readonly isLoopback: boolean;
  /** `true` if the user has no grant for this client. */
  readonly isNew: boolean;
  /** The name of the resource. */
  readonly resource: string;
  /** The name or the email address of the user, if there is one. */
  readonly user: string | undefined;
  /** The strings of the page, in the language of the browser. */
  readonly messages: ServerMessages;
  /** The requested scopes. */
  readonly scopes: readonly ConsentScope[];
  /**
   * The form, with the scopes as checkboxes and the two buttons. The page must
   * contain it unchanged.
   */
  readonly form: Markup;
}

/** The parts of the page on which users approve a device. */
export interface DevicePage
  extends Omit<ConsentPage, "isLoopback" | "redirectHost"> {
  /** The code, such as `WDJB-MJHT`, which the device shows too. */
  readonly code: string;
  /**
   * The address of the device.
   *
   * @default {undefined}
   */
  readonly address?: string;
}

/** The parts of an error page. */
export interface ErrorPage {
  /** The reason, as a sentence. */
  readonly text: string;
  /** The strings of the page, in the language of the browser. */
  readonly messages: ServerMessages;
}

/** Pages of the application. The frame and its policy stay those of the server. */
export interface ServerPages {
  /**
   * Creates the content of the consent page.
   *
   * @default {the page of the library}
   */
  readonly consent?: Page<ConsentPage>;
  /**
   * Creates the content of the page on which users approve a device.
   *
   * @default {the page of the library}
   */
  readonly device?: Page<DevicePage>;
  /**
   * Creates the content of the page for a request that cannot go back to its client.
   *
   * @default {the page of the library}
   */
  readonly error?: Page<ErrorPage>;
}
