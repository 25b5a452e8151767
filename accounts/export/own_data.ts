import type { Grant } from "../../auth/internal.ts";
import { reportSecurityEvent } from "../../router/internal.ts";
import type { RequestContext } from "../../router/mod.ts";
import { userSessions } from "../../session/mod.ts";
import { type Call, type Failed, throttled } from "../actions/call.ts";
import { ownAccount } from "../current_account.ts";
import { IDENTITY } from "../actions/identity.ts";
import { PASSKEY } from "../actions/passkey_store.ts";
import type { Services } from "../actions/services.ts";
import type { StoredAccount, WayIn } from "../store/store.ts";
import { toUser } from "../to_user.ts";

/** The maximum number of entries of the audit log, the newest ones. */
const MAX_ACTIVITY = 1_000;

/** Responds with the data of the logged-in account as a file. */
export async function downloadData(call: Call): Promise<Response | Failed> {
  const { context, services } = call;
  const { id: userId } = ownAccount(context);
  // Each download reads a lot, and calls the application's function.
  const attempt = await services.downloadThrottle.attempt(context, userId);
  if (!attempt.allowed) return throttled(call, attempt.retryAfter);
  const data = await ownData(context, services);
  reportSecurityEvent(context, { action: "data-export", userId });
  return new Response(JSON.stringify(data, null, 2), {
    headers: {
      "Content-Type": "application/json",
      "Content-Disposition": 'attachment; filename="account.json"',
    },
  });
}

/**
 * Returns the data of the logged-in account. Each property is named here, so that no
 * secret and no hash gets into the file.
 */
async function ownData(
  context: RequestContext,
  services: Services,
): Promise<object> {
  const { apps, exportData, factors, keys, names, now, store } = services;
  const account = ownAccount(context);
  const { id } = account;
  const ways = await store.waysIn(id);
  const { recoveryCodes, totp, totpSince } = await factors.status(id);
  return {
    exportedAt: dateOf(now()),
    account: accountData(account),
    twoStep: { isOn: totp, since: dateOf(totpSince), recoveryCodes },
    passkeys: ways.filter(({ kind }) => kind === PASSKEY).map(wayData),
    logins: ways.filter(({ kind }) => kind === IDENTITY).map((way) => ({
      provider: Object(way.data).provider,
      ...wayData(way),
    })),
    keys: (await keys.list(id)).map((
      { scopes, teamId, expiresAt, ...way },
    ) => ({
      ...wayData(way),
      scopes,
      teamId,
      expiresAt: dateOf(expiresAt),
    })),
    apps: (await apps.list(id)).map(appData),
    sessions: await sessionData(context),
    teams: await teamData(services, id),
    activity: await activityData(services, id),
    application: await exportData?.(toUser(account, names)),
  };
}

function accountData(account: StoredAccount): object {
  const { id, email, emailVerified, name, role, language, fields } = account;
  const { createdAt, deleteAt, hasPassword } = account;
  return {
    ...{ id, email, emailVerified, name, role, language, fields, hasPassword },
    createdAt: dateOf(createdAt),
    deleteAt: dateOf(deleteAt),
  };
}

function wayData(
  { name, createdAt, usedAt }: Pick<WayIn, "name" | "createdAt" | "usedAt">,
): object {
  return { name, createdAt: dateOf(createdAt), usedAt: dateOf(usedAt) };
}

function appData(
  { client, createdAt, lastUsedAt, resource, scopes }: Grant,
): object {
  const { name, host } = client;
  const [connectedAt, usedAt] = [dateOf(createdAt), dateOf(lastUsedAt)];
  return { name, host, resource, scopes, connectedAt, usedAt };
}

async function sessionData(context: RequestContext): Promise<object[]> {
  const list = await userSessions(context).list();
  return list.map(({ current, label, createdAt, seenAt }) => ({
    current,
    ...label,
    createdAt: dateOf(createdAt),
    seenAt: dateOf(seenAt),
  }));
}

async function teamData({ teams }: Services, id: string): Promise<object[]> {
  if (!teams.isOn) return [];
  return (await teams.store.list(id)).map(({ member, team }) => ({
    id: team.id,
    name: team.name,
    role: member.role,
    joinedAt: dateOf(member.createdAt),
  }));
}

/** Returns the history without the ids and the reasons of administrators. */
async function activityData(
  { store }: Services,
  id: string,
): Promise<object[]> {
  const page = await store.audit.list({ of: id, limit: MAX_ACTIVITY });
  return page.entries
    // The other entries are about accounts that this administrator changed.
    .filter(({ userId }) => userId === id)
    .map(({ action, actorId, at }) => ({
      action,
      at: dateOf(at),
      by: actorId === id ? "you" : "administrator",
    }));
}

function dateOf(time: number | null | undefined): string | null {
  return typeof time === "number" ? new Date(time).toISOString() : null;
}
