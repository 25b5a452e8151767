import type { ConnectedApps, Grant, GrantFilter } from "../../auth/internal.ts";
import { report } from "../events.ts";
import { type KeyedGrant, publicId } from "./grant_store.ts";
import { scopeText } from "../messages/scope_text.ts";
import type { Settings } from "../settings.ts";
import { redirectHostOf } from "../pages/redirect_host.ts";
import { findUser, isCurrent } from "./users.ts";

/** Creates the functions that list and end the grants of users. */
export function createConnectedApps(settings: Settings): ConnectedApps {
  return {
    grants: async (userId, { language } = {}) => {
      const grants = await validGrants(settings, String(userId));
      return await Promise.all(
        grants.map((grant) => grantOf(settings, grant, language)),
      );
    },
    revoke: (userId, filter = {}) => revoke(settings, String(userId), filter),
  };
}

/** Returns the grants of a user that still work, without codes. */
export async function validGrants(
  settings: Settings,
  userId: string,
): Promise<KeyedGrant[]> {
  const grants = (await settings.grants.ofUser(userId))
    .filter(({ row }) => row.generation > 0);
  if (grants.length === 0) return [];
  const user = await findUser(settings, userId);
  return user === null
    ? []
    : grants.filter(({ row }) => isCurrent(settings, user, row));
}

/** Returns a grant as its user sees it, with the scopes in words of a language. */
export async function grantOf(
  { messages, resources }: Settings,
  { key, row }: KeyedGrant,
  language?: string,
): Promise<Grant> {
  const { client, createdAt, host, name, redirectUri, scopes } = row;
  // A new version of the application may not have the resource any more.
  const resource = resources.get(row.resource);
  const texts = messages.find((one) => one.language === language) ?? {};
  return {
    id: await publicId(key),
    client: { id: client.id, name, ...host !== undefined && { host } },
    redirectHost: redirectHostOf(redirectUri),
    resource: row.resource,
    resourceName: resource?.name,
    scopes,
    scopeTexts: Object.fromEntries(
      scopes.filter((scope) => resource?.scopes.has(scope))
        .map((scope) => [scope, scopeText(texts, resource!, scope)]),
    ),
    createdAt,
    lastUsedAt: row.rotatedAt,
  };
}

async function revoke(
  settings: Settings,
  userId: string,
  { before = Infinity, client, id }: GrantFilter,
): Promise<number> {
  const grants = await settings.grants.ofUser(userId);
  const ids = await Promise.all(grants.map(({ key }) => publicId(key)));
  const matching = grants.filter(({ row }, index) =>
    row.createdAt < before &&
    (client === undefined || row.client.id === client) &&
    (id === undefined || ids[index] === id)
  );
  await settings.grants.endAll(matching.map(({ key }) => key));
  for (const { key, row } of matching) {
    await report(settings, "revoked", row, key);
  }
  return matching.length;
}
