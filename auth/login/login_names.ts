import { createContextKey } from "../../router/internal.ts";
import type { ContextKey, RequestContext } from "../../router/mod.ts";

// A back-channel logout finds a session by the provider's name for it (OpenID
// Connect Back-Channel Logout 1.0, section 2.7).

/** The user and the provider's session of a login. */
export interface LoginOrigin {
  readonly issuer: string;
  readonly subject: string;
  /** The claim `sid` of the ID token, if it has one. */
  readonly sessionId?: string | undefined;
}

/** The context key of the external login that a request has finished. */
export const FinishedLogin: ContextKey<LoginOrigin | null> =
  /* @__PURE__ */ createContextKey<LoginOrigin | null>(null, {
    name: "FinishedLogin",
  });

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

/** Returns the names for the session of the login that a request has finished. */
export function loginNamesOf(context: RequestContext): string[] {
  const origin = context.get(FinishedLogin);
  if (origin === null) return [];
  const { issuer, sessionId, subject } = origin;
  return [
    subjectName(issuer, subject),
    sessionId === undefined
      ? namelessName(issuer, subject)
      : sessionName(issuer, sessionId),
  ];
}
