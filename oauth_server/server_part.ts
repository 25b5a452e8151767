import type { RequestContext } from "../router/mod.ts";
import type { ServerPaths } from "./options.ts";
import type { Settings } from "./settings.ts";

/** Answers a request. */
export type Handler = (
  settings: Settings,
  context: RequestContext,
) => Response | Promise<Response>;

/** A part with an endpoint. A server without the part does not bundle it. */
export interface ServerPart {
  /** The name of the endpoint's path. */
  readonly path: keyof ServerPaths;
  /** The name of the endpoint's URL in the metadata. */
  readonly member: string;
  /** Other members of the metadata. */
  readonly metadata?: Readonly<Record<string, unknown>>;
  /** Answers the endpoint. */
  readonly answer: Handler;
}

/** The settings that a part can use at its creation. */
export type PartSettings = Pick<
  Settings,
  "lifetimes" | "now" | "store" | "tokens"
>;

/**
 * Creates a part for a server.
 *
 * @throws {RangeError} If a setting does not fit the part.
 */
export type CreatePart<Part extends ServerPart> = (
  settings: PartSettings,
) => Part;
