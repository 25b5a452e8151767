import type { ServerPart } from "../server_part.ts";
import type { Client } from "./client.ts";

/** The clients that register themselves. A server without them does not bundle them. */
export interface RegistrationPart extends ServerPart {
  /** Returns a client, or `null` if it is unknown or has expired. */
  find(id: string): Promise<Client | null>;
  /** Keeps a client for a year, because a user has approved it. */
  keep(id: string): Promise<void>;
}
