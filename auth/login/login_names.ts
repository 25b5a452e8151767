import type { RequestContext } from "../../router/mod.ts";

// A back-channel logout finds a session by the provider's name for it (OpenID
// Connect Back-Channel Logout 1.0, section 2.7).

/** The user and the provider's session of a login. */
export interface LoginOrigin {
  readonly issuer: string;
  readonly subject: string;
  /** The claim `sid` of the ID token, if it has one. */
  readonly sessionId?: string | undefined;
}

/** Returns the name of all sessions of a subject. Issuers contain no "|". */
export function subjectName(issuer: string, subject: string): string {
  return `sub:${issuer}|${subject}`;
}

/** Returns the name of a subject's sessions whose login had no `sid`. */
export function namelessName(issuer: string, subject: string): string {
  return `nosid:${issuer}|${subject}`;
}

/** Returns the name of the session that belongs to a provider's session. */
export function sessionName(issuer: string, sessionId: string): string {
  return `sid:${issuer}|${sessionId}`;
}

const origins = /* @__PURE__ */ new WeakMap<RequestContext, LoginOrigin>();

/** Remembers the login that a request has finished. */
export function setLoginOrigin(
  context: RequestContext,
  origin: LoginOrigin,
): void {
  origins.set(context, origin);
}

/** Returns the login that a request has finished, if it was external. */
export function loginOriginOf(
  context: RequestContext,
): LoginOrigin | undefined {
  return origins.get(context);
}

/** Returns the names for the session of the login that a request has finished. */
export function loginNamesOf(context: RequestContext): string[] {
  const origin = origins.get(context);
  if (origin === undefined) return [];
  const { issuer, sessionId, subject } = origin;
  return [
    subjectName(issuer, subject),
    sessionId === undefined
      ? namelessName(issuer, subject)
      : sessionName(issuer, sessionId),
  ];
}
