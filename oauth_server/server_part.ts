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
  /** Returns its members of the metadata, from the URL of the endpoint. */
  metadata(url: string): Readonly<Record<string, unknown>>;
  /** Answers the endpoint. */
  readonly answer: Handler;
}

/** The settings that a part can use at its creation. */
export interface PartSettings
  extends Pick<Settings, "issuer" | "lifetimes" | "now" | "store" | "tokens"> {
  /** The secrets, of which the first one creates and all of them verify. */
  readonly secrets: readonly string[];
}

/**
 * Creates a part for a server.
 *
 * @throws {RangeError} If a setting does not fit the part.
 */
export type CreatePart<Part> = (
  settings: PartSettings,
) => Part;
