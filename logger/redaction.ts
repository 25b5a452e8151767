/** What stands in for a secret (as OpenTelemetry's conventions have it). */
const replacement = "REDACTED";

/** Words that make the name of a parameter that of a secret. */
const words =
  "assertion|auth|authorization|bearer|code|credential|hmac|jwt|key|mfa|nonce|" +
  "otp|pass|passcode|passphrase|passwd|pin|pwd|samlart|samlresponse|secret|" +
  "session|sid|sig|state|ticket|totp|verifier";

/** Words that do so at the end of another word too, as in `authtoken`. */
const endings =
  "(?:access|api|private|secret|session)key|(?:auth|otp|reset)code|" +
  "password|secret|sess(?:ion)?id|signature|token";

const secretName = /* @__PURE__ */ new RegExp(
  `(?:(?<![a-z\\d])(?:${words})|${endings})s?\\d*(?![a-z\\d])`,
  "iu",
);

/**
 * What a query has that holds such a name, or hides it. None of it is shorter
 * than three characters, which lets engines look for it in less time.
 */
const suspicious = /* @__PURE__ */ new RegExp(
  `${words}|${endings}|[%\\x80-\\uffff][^]{2}`,
  "i",
);

/** How often a value is decoded in search of parameters in it. */
const maxDepth = 3;

/**
 * Tells whether a query parameter is known to carry secrets, by the words of
 * its name: code, state, token, key, secret, password, signature, session and
 * the like.
 *
 * @example Redacting one's own parameters as well
 * ```ts
 * import { assertEquals } from "@std/assert";
 * import { isSecretName } from "@gatehouse/web/logger-middleware";
 *
 * const redact = (name: string) => isSecretName(name) || name === "email";
 * assertEquals(redact("access_token"), true);
 * assertEquals(redact("X-Amz-Signature"), true);
 * assertEquals(redact("email"), true);
 * assertEquals(redact("keyword"), false);
 * ```
 *
 * @param name The name of the parameter, decoded.
 * @returns Whether its value must not be logged.
 */
export function isSecretName(name: string): boolean {
  return secretName.test(name) ||
    secretName.test(name.replace(/([a-z\d])([A-Z])/g, "$1 $2"));
}

/**
 * Replaces the values of secret parameters in a URL, or a path with a query, and
 * those that hold a URL with such a parameter, such as `returnTo`.
 */
export function redactQuery(
  url: string,
  isSecret: (name: string) => boolean,
): string {
  let start = url.indexOf("?") + 1;
  if (start === 0) return url;
  // One look clears most queries.
  if (isSecret === isSecretName && !suspicious.test(url.slice(start))) {
    return url;
  }
  let redacted = "";
  let copied = 0;
  while (start > 0) {
    const ampersand = url.indexOf("&", start);
    const end = ampersand < 0 ? url.length : ampersand;
    const value = url.indexOf("=", start) + 1;
    const hasValue = value > 0 && value < end;
    const secret = hasValue &&
      (isSecret(decode(url.slice(start, value - 1))) ||
        holdsSecret(url.slice(value, end), isSecret));
    if (secret) {
      redacted += url.slice(copied, value) + replacement;
      copied = end;
    }
    start = ampersand + 1;
  }
  return copied === 0 ? url : redacted + url.slice(copied);
}

/** The same for a URL from a header, which can hold a password of its own. */
export function redactReferrer(
  url: string,
  isSecret: (name: string) => boolean,
): string {
  // No browser sends a fragment (RFC 9110, section 10.1.3): it can only harm.
  const [page = ""] = url.split("#", 1);
  const bare = page.includes("@")
    ? page.replace(/^([a-z][a-z\d+.-]*:\/\/)[^/?#]*@/i, "$1")
    : page;
  return redactQuery(bare, isSecret);
}

/** Whether a value, decoded once or more, holds a secret parameter itself. */
function holdsSecret(
  value: string,
  isSecret: (name: string) => boolean,
): boolean {
  let text = value;
  for (let depth = 0; depth <= maxDepth; depth++) {
    if (!/=|%(?:25)*3d/i.test(text)) return false;
    for (const pair of text.split(/[?&#]/)) {
      const end = pair.indexOf("=");
      if (end > 0 && isSecret(decode(pair.slice(0, end)))) return true;
    }
    if (!text.includes("%")) return false;
    const encoded = `v=${text.replaceAll("&", "%26")}`;
    text = new URLSearchParams(encoded).get("v") ?? "";
  }
  return false;
}

/** A name as the application reads it, so that `%63ode` hides nothing. */
function decode(name: string): string {
  if (!/[%+]/.test(name)) return name;
  // URLSearchParams never throws, unlike decodeURIComponent.
  return new URLSearchParams(`${name}=`).keys().next().value ?? name;
}
