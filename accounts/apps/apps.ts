import type {
  ConnectedApps,
  Grant,
  GrantFilter,
  GrantsOptions,
} from "../../auth/internal.ts";

/**
 * The applications that users have connected, at all authorization servers of the
 * accounts.
 */
export class Apps {
  readonly #servers: ConnectedApps[] = [];

  /** Adds a server. */
  connect(server: ConnectedApps): void {
    this.#servers.push(server);
  }

  /** `true` if there is a server. */
  get isOn(): boolean {
    return this.#servers.length > 0;
  }

  /** Returns the grants of a user, newest first. */
  async list(userId: string, options?: GrantsOptions): Promise<Grant[]> {
    const lists = await Promise.all(
      this.#servers.map((server) => server.grants(userId, options)),
    );
    return lists.flat().sort((one, other) => other.createdAt - one.createdAt);
  }

  /** Ends grants of a user, and returns their number. */
  async revoke(userId: string, filter: GrantFilter = {}): Promise<number> {
    const counts = await Promise.all(
      this.#servers.map((server) => server.revoke(userId, filter)),
    );
    return counts.reduce((sum, count) => sum + count, 0);
  }
}
