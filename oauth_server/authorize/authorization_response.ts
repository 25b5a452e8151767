import { redirect } from "../../router/internal.ts";
import type { RedirectTarget } from "./authorization_request.ts";

/**
 * Returns the URL of a response: the redirect URI with the parameters, the state of
 * the client, and the issuer, by which clients of several servers tell them apart
 * (RFC 9207).
 */
export function responseLocation(
  issuer: string,
  { redirectUri, state }: Omit<RedirectTarget, "client">,
  params: Readonly<Record<string, string>>,
): string {
  const all = { ...params, ...state !== undefined && { state }, iss: issuer };
  // A URL object would change the string that the client has registered.
  const separator = redirectUri.includes("?") ? "&" : "?";
  return redirectUri + separator + new URLSearchParams(all);
}

/** Redirects to a client, or to a page of the application. */
export function uncachedRedirect(location: string, status = 302): Response {
  const response = redirect(location, status);
  response.headers.set("Cache-Control", "no-store");
  return response;
}
