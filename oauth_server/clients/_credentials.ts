import { decodeClaims } from "../../auth/internal.ts";
import type { TokenRequest } from "./client.ts";

/** The credentials of a client in a request. */
export type ClientCredentials =
  | { readonly kind: "none"; readonly id: string | undefined }
  | { readonly kind: "secret"; readonly id: string; readonly secret: string }
  | { readonly kind: "assertion"; readonly id: string; readonly jwt: string };

const ASSERTION_TYPE = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer";

/** The longest assertion, in characters. One with RSA of 4,096 bits has about 1,200. */
const MAX_ASSERTION = 8_192;

/** The longest `Authorization` header, in characters. */
const MAX_BASIC = 4_096;

/**
 * Returns the credentials of a request, or `null` if they are malformed, of several
 * methods, or of one that no client has (OAuth 2.1, section 2.4). Basic counts even
 * without a secret, and so does an empty parameter.
 */
export function readCredentials(
  request: TokenRequest,
): ClientCredentials | null {
  const { form, headers } = request;
  const id = form.get("client_id");
  // Secrets in the form are not supported. They end up in more logs.
  if (form.has("client_secret")) return null;
  const assertion = form.get("client_assertion");
  const type = form.get("client_assertion_type");
  const hasAssertion = assertion !== undefined || type !== undefined;
  if (headers.has("Authorization")) {
    const basic = hasAssertion ? null : readBasic(headers);
    return basic !== null && (id ?? basic.id) === basic.id ? basic : null;
  }
  if (!hasAssertion) return { kind: "none", id };
  if (assertion === undefined || type !== ASSERTION_TYPE) return null;
  if (assertion.length > MAX_ASSERTION) return null;
  const { sub } = decodeClaims(assertion);
  return typeof sub === "string" && (id ?? sub) === sub
    ? { kind: "assertion", id: sub, jwt: assertion }
    : null;
}

/** Reads an `Authorization` header with Basic. Both parts are form-encoded. */
function readBasic(
  headers: Headers,
): Extract<ClientCredentials, { readonly kind: "secret" }> | null {
  const header = headers.get("Authorization")!;
  const [, base64] = /^basic +([\w+/]+=*) *$/i.exec(header) ?? [];
  if (base64 === undefined || header.length > MAX_BASIC) return null;
  try {
    const text = atob(base64);
    const colon = text.indexOf(":");
    if (colon < 1) return null;
    const [id, secret] = [text.slice(0, colon), text.slice(colon + 1)]
      .map((part) => decodeURIComponent(part.replaceAll("+", " ")));
    return { kind: "secret", id: id!, secret: secret! };
  } catch {
    // The base64 or a percent is malformed.
    return null;
  }
}
