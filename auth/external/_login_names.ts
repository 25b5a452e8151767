import type { RequestContext } from "../../router/mod.ts";

// What the session of an external login is found by when the provider ends it
// (OpenID Connect Back-Channel Logout 1.0, section 2.7).

/** Who has logged in, where and in which session of the provider. */
export interface LoginOrigin {
  readonly issuer: string;
  readonly subject: string;
  /** The claim `sid` of the ID token, where it has one. */
  readonly sessionId?: string;
}

/** The name of all sessions of a subject. An issuer has no "|" in it. */
export function subjectName(issuer: string, subject: string): string {
  return `sub:${issuer}|${subject}`;
}

/** The name of those of a subject whose login named no session. */
export function namelessName(issuer: string, subject: string): string {
  return `nosid:${issuer}|${subject}`;
}

/** The name of the one that a session of the provider has begun. */
export function sessionName(issuer: string, sessionId: string): string {
  return `sid:${issuer}|${sessionId}`;
}

const origins = /* @__PURE__ */ new WeakMap<RequestContext, LoginOrigin>();

/** Notes a login that a request has finished. */
export function noteLogin(context: RequestContext, origin: LoginOrigin): void {
  origins.set(context, origin);
}

/** The names for the session of the login that a request has finished. */
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
