import { Session } from "../../session/mod.ts";
import { grantedClient } from "../clients/client.ts";
import type { RedirectTarget } from "./authorization_request.ts";
import { responseLocation } from "./authorization_response.ts";
import type { UserRequest } from "./user_request.ts";
import { report } from "../events.ts";
import { grantOf } from "../grants/connected_apps.ts";
import type { GrantRow, KeyedGrant } from "../grants/grant_store.ts";
import type { Settings } from "../settings.ts";
import { randomGrantKey } from "../grants/tokens.ts";
import { versionOf } from "../grants/users.ts";

/** The maximum number of grants of a user, and of a user for one client. */
const MAX_GRANTS = 100;
const MAX_OF_CLIENT = 20;

/**
 * Stores the code of a request that its user has approved.
 *
 * @param scopes The approved scopes.
 * @param key The new key of the grant.
 * @returns The URL of the response, which contains the code.
 */
export async function approve(
  settings: Settings,
  { context, request, user }: Omit<UserRequest, "session">,
  scopes: readonly string[],
  key: string = randomGrantKey(),
): Promise<string> {
  const { grants, issuer, now } = settings;
  const { challenge, client, redirectUri, resource, thumbprint } = request;
  const time = now();
  const row: GrantRow = {
    userId: String(user.id),
    // This is the version of the user whose session was checked, not a newer one.
    version: versionOf(settings, user),
    client: grantedClient(client),
    name: client.name,
    host: client.host,
    redirectUri,
    resource: resource.url,
    scopes,
    challenge,
    createdAt: time,
    authenticatedAt: context.get(Session).authenticatedAt ?? null,
    exchangedAt: null,
    generation: 0,
    rotatedAt: time,
    thumbprint,
  };
  if (!await grants.add(key, row)) {
    const params = {
      error: "temporarily_unavailable",
      error_description: "The server has no room for another grant",
    };
    return responseLocation(issuer, request, params);
  }
  await settings.clients.approved(client);
  await report(settings, "granted", row, key, context);
  // The user does not decide on trusted clients, which log in often.
  if (!client.trusted) await tellOf(settings, { context, user }, { key, row });
  return await codeLocation(settings, request, key);
}

/** Returns the URL of a response with the code of a grant. */
export async function codeLocation(
  { issuer, tokens }: Settings,
  target: RedirectTarget,
  key: string,
): Promise<string> {
  const code = await tokens.derive("code", key);
  return responseLocation(issuer, target, { code });
}

/** Tells the application of a new grant. An error must not cost the user the code. */
export async function tellOf(
  settings: Settings,
  { context, user }: Pick<UserRequest, "context" | "user">,
  grant: KeyedGrant,
): Promise<void> {
  const { granted } = settings.users;
  if (granted === undefined) return;
  try {
    await granted(context, await grantOf(settings, grant), user);
  } catch (error) {
    console.error(error);
  }
}

/**
 * Ends the surplus grants of a user. Codes do not count: another site can make a
 * browser request them for a trusted client, and they expire after a minute.
 */
export async function makeRoom(
  settings: Settings,
  { context, request, user }: Pick<UserRequest, "context" | "user"> & {
    readonly request: Pick<UserRequest["request"], "client">;
  },
): Promise<void> {
  const grants = (await settings.grants.ofUser(String(user.id)))
    .filter(({ row }) => row.generation > 0);
  const surplus = surplusGrants(grants, request.client.id);
  await settings.grants.endAll(surplus);
  for (const { key, row } of grants) {
    if (!surplus.includes(key)) continue;
    await report(settings, "revoked", row, key, context);
  }
}

/**
 * Returns the grants that must end before a user gets another one: the longest
 * unused ones. All installations of a program have the same client id, so a new
 * consent does not end the others.
 */
export function surplusGrants(
  grants: readonly KeyedGrant[],
  clientId: string,
): string[] {
  const unused = [...grants]
    .sort((a, b) => b.row.rotatedAt - a.row.rotatedAt);
  const ofClient = unused.filter(({ row }) => row.client.id === clientId);
  const surplus = [
    ...unused.slice(MAX_GRANTS - 1),
    ...ofClient.slice(MAX_OF_CLIENT - 1),
  ];
  return [...new Set(surplus.map(({ key }) => key))];
}
