/** Grants in memory, as an authorization server lists and ends them. */
import type { ConnectedApps, Grant } from "@gatehouse/web/oauth-server";

let created = 0;

/** Creates a grant of a client for two rights. */
export function createGrant(changes: Partial<Grant> = {}): Grant {
  const id = `grant-${++created}`;
  return {
    id,
    client: {
      id: "https://claude.ai/client.json",
      name: "Claude",
      host: "claude.ai",
    },
    redirectHost: "claude.ai",
    resource: "https://test.example/mcp",
    resourceName: "Notes",
    scopes: ["notes:read", "notes:write"],
    scopeTexts: { "notes:read": "Read your notes" },
    createdAt: Date.UTC(2026, 9, 20) + created,
    lastUsedAt: Date.UTC(2026, 9, 27),
    ...changes,
  };
}

/** Creates the grants of an authorization server, by the ids of users. */
export function createMemoryApps(): ConnectedApps & {
  add(userId: string, grant?: Grant): Grant;
} {
  const grants = new Map<string, Grant[]>();
  const of = (userId: string) => grants.get(userId) ?? [];
  return {
    add(userId, grant = createGrant()) {
      grants.set(userId, [grant, ...of(userId)]);
      return grant;
    },
    grants: (userId) => Promise.resolve(of(userId)),
    revoke(userId, { id, client, before = Infinity } = {}) {
      const kept = of(userId).filter((one) =>
        one.createdAt >= before || id !== undefined && one.id !== id ||
        client !== undefined && one.client.id !== client
      );
      const count = of(userId).length - kept.length;
      grants.set(userId, kept);
      return Promise.resolve(count);
    },
  };
}
