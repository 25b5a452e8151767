import { isDomain } from "./_public_address.ts";

/** The longest client id, in characters. */
const MAX_LENGTH = 1_000;

/**
 * Returns the URL of a client's metadata document if the client id is one, or
 * `null`.
 *
 * It has the form that URL parsers return, so two ids never name the same document.
 * This also excludes dot segments, upper-case hosts and users (draft-ietf-oauth-
 * client-id-metadata-document-01, section 2). A query is excluded too: with it,
 * one document would be any number of clients.
 */
export function documentURL(id: string): URL | null {
  if (id.length > MAX_LENGTH || !id.startsWith("https://")) return null;
  const url = URL.parse(id);
  if (url === null || url.href !== id || /[?#]/.test(id)) return null;
  const { hostname, password, pathname, username } = url;
  return isDomain(hostname) && pathname !== "/" && username + password === ""
    ? url
    : null;
}
