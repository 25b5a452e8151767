/**
 * Returns the host of a redirect URI, or its scheme for a native application, for
 * users.
 */
export function redirectHostOf(redirectUri: string): string {
  const { host = "", protocol = "" } = URL.parse(redirectUri) ?? {};
  return /^https?:$/.test(protocol) ? host : protocol.slice(0, -1);
}
