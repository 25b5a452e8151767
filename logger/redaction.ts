/** The replacement of a secret value (as in OpenTelemetry's conventions). */
const replacement = "REDACTED";

/** Words that mark a secret anywhere in a name, as in `passwordconfirm`. */
const stems =
  "credential|csrf|dpop|jwt|kennwort|passphrase|passw(?:d|or[dt])|" +
  "pwd|secret(?!ar)|sess(?:ion)?id|(?<!ob|pos)session|signature|" +
  "token(?!i[sz])|verification|xsrf";

/** Words that mark a secret only if they are a whole word of the name. */
const words =
  "2fa|activat(?:e|ion)|authori[sz]ation|bearer|challenge|confirm(?:ation)?|cred|" +
  "cvc|cvv|hmac|iban|invit(?:e|ation)|magic|mfa|passport|pgt(?:id|iou)?|pin|pw|" +
  "recover|recovery|reset|salt|samlart|samlresponse|sid|sign|sso|state|tfa|" +
  "unlock|verify|wctx|wresult|(?:card|account)[^a-z\\d]?(?:number|num|no)|" +
  "credit[^a-z\\d]?card|social[^a-z\\d]?security|tax[^a-z\\d]?id";

/**
 * Words that mark a secret at the end of a word, as in `smscode`, unless the
 * word before them says otherwise, as in `postcode` and `sort_key`.
 */
const endings =
  "assertion|auth|cookie|hash|nonce|otp|sig|ssn|ticket|verifier|" +
  "(?<!by|com|over|sur|tres|under)pass|" +
  "(?<!(?<![a-z])(?:de|en|op|uni|vs)|(?:airport|area|bar|char|city|color|" +
  "country|currency|error|exit|http|lang|language|locale|post|postal|product|" +
  "region|source|status|zip)[^a-z\\d]?)code|" +
  "(?<!don|hoc|joc|lac|mon|tur|whis|" +
  "(?:foreign|group|hot|order|partition|primary|public|sort)[^a-z\\d]?)key(?:id)?|" +
  "(?:activation|confirmation|invitation|invite|login|magic|reset|share)link|" +
  "(?:auth|login|relay)state";

/** The stems in languages other than English. */
const foreignStems =
  "adgangskode|contrase[nñ]a|geheim|jelsz[oó]|jeton|l[oö]senord|" +
  "mot[^a-z\\d]?de[^a-z\\d]?passe|palavra[^a-z\\d]?passe|parola[^a-z\\d]?chiave|" +
  "passord|salasana|schl(?:ü|ue)ssel|senha|wachtwoord|парол|密[码碼]|パスワード|" +
  "비밀번호";

/** The whole words in other languages. */
const foreignWords =
  "chiave|clave|cl[eé]|codice|c[oó]digo(?![^a-z\\d]?(?:area|pa[ií]s|postal))|gettone|" +
  "has[lł]o|heslo|klucz|mdp|parola?|sleutel|[sş]ifre";

const secretName = /* @__PURE__ */ (() =>
  new RegExp(
    `${stems}|${foreignStems}|(?:(?<![a-z\\d])(?:${words}|${foreignWords})|${endings})s?\\d*(?![a-z\\d])`,
    "iu",
  ))();

/** Last words that make a name harmless: `inviteCount`, `token_type`. */
const harmlessEnd =
  /[^a-z\d](?:count|format|length|limit|method|page|size|sort|status|total|ttl|type)$/i;

/**
 * Matches every query that may contain a secret: a part of each word above, an
 * encoded character, a password in a URL or a JSON Web Token. Alternatives of
 * three characters and more let V8 skip ahead.
 */
const suspicious =
  /2fa|account|activat|assertion|auth|bearer|card|challenge|code|confirm|cookie|cred|csrf|cvc|cvv|dpop|eyJ|hash|hmac|iban|invit|jwt|kennwort|key|link|magic|mfa|nonce|otp|pass|pgt|pin|pw[^a-z]|pwd|recover|reset|salt|saml|secret|sess|sid|sig|social|ssn|sso|state|tax|tfa|ticket|token|unlock|verif|wctx|wresult|xsrf|adgang|contras|geheim|jelsz|jeton|senord|palavra|parol|salasana|schl|senha|wacht|chiave|clave|(?<![a-z])cle(?![a-z])|codi[cg]|gettone|haslo|heslo|klucz|mdp|sleutel|sifre|[%\x80-\uffff\\@][^]{2}/i;

/** The number of times that a name or a value is decoded. */
const maxDepth = 3;

/**
 * Returns `true` if a parameter is known to carry secrets, by the words of its
 * name: code, state, token, key, secret, password, signature, hash, session,
 * cookie, invite, verification, IBAN and the like.
 *
 * Names that only describe a secret, such as `inviteCount` and `token_type`,
 * and everyday names, such as `postcode` and `sort_key`, return `false`.
 *
 * @example Redacting more parameters
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
 * @returns `true` if its value must not be logged.
 */
export function isSecretName(name: string): boolean {
  const separated = name.replace(/([a-z\d])([A-Z])/g, "$1 $2");
  return (secretName.test(name) || secretName.test(separated)) &&
    !harmlessEnd.test(separated);
}

/**
 * Returns `true` if a parameter of this name contains a secret. `false` finds
 * no secrets at all.
 */
export type SecretTest = false | ((name: string) => boolean);

/** Matches a parameter of a path segment, as in `/orders;sort=name`. */
const pathParameter = /((?:;|%3b)((?:(?!%3[bd])[^;/=])*)(?:=|%3d))([^;/]+)/gi;

const queryParameter = /(?<=[?&])(([^&=]*)=)([^&]+)/g;

/**
 * Replaces the values of secret parameters in the query and in the path of a
 * URL, the values that contain such a parameter, such as `returnTo`, and the
 * segments of the path that contain a JSON Web Token.
 */
export function redactURL(url: string, isSecret: SecretTest): string {
  const mark = url.indexOf("?");
  const query = mark < 0 ? "" : url.slice(mark);
  // Most URLs need only these checks.
  const mayBeInPath = /[;%]|eyJ/.test(url);
  if (!mayBeInPath && !mayHoldSecret(query, isSecret)) return url;
  const path = mark < 0 ? url : url.slice(0, mark);
  return redactSegments(
    redactParameters(path, pathParameter, isSecret),
    isSecret,
  ) + redactParameters(query, queryParameter, isSecret);
}

/** Replaces the segments of a path that contain a JSON Web Token. */
function redactSegments(path: string, isSecret: SecretTest): string {
  if (isSecret === false || !/eyJ|%/.test(path)) return path;
  return path.replace(
    /[^/;=]+/g,
    (segment) => decodings(segment).some(hasJWT) ? replacement : segment,
  );
}

function mayHoldSecret(query: string, isSecret: SecretTest): boolean {
  return isSecret !== isSecretName || suspicious.test(query);
}

function redactParameters(
  part: string,
  pattern: RegExp,
  isSecret: SecretTest,
): string {
  if (isSecret === false) return part;
  return part.replace(
    pattern,
    (parameter, start: string, name: string, value: string) =>
      mayHoldSecret(parameter, isSecret) &&
        (decodings(name).some((one) => isSecret(one)) ||
          holdsSecret(value, isSecret))
        ? start + replacement
        : parameter,
  );
}

/** Does the same for a URL in a header, which can contain a password. */
export function redactReferrer(url: string, isSecret: SecretTest): string {
  if (isSecret === false) return url;
  // Browsers send no fragment (RFC 9110, section 10.1.3).
  const [page = ""] = url.split("#", 1);
  const bare = page.replace(/^([a-z][a-z\d+.-]*:\/\/)[^/?#]*@/i, "$1");
  return redactURL(bare, isSecret);
}

/** Returns `true` if a value, decoded or not, contains a secret itself. */
function holdsSecret(
  value: string,
  isSecret: (name: string) => boolean,
): boolean {
  // Every secret contains one of these characters or a letter, which may be
  // encoded.
  if (!/[=:@]|eyJ|%(?:25)*(?:3[ad]|[4-7])/i.test(value)) return false;
  const decoded = decodings(value);
  return decoded.some((one) =>
    isSecretValue(one) || namesIn(one).some((name) => isSecret(name))
  ) ||
    // More encoding hides the content on purpose.
    (decoded.length > maxDepth && /%[\da-f]{2}/i.test(decoded[maxDepth]!));
}

/** Returns a string unchanged, decoded once, decoded twice and so on. */
function decodings(encoded: string): string[] {
  const results = [encoded];
  for (let depth = 0; depth < maxDepth; depth++) {
    const last = results[depth]!;
    if (!/[%+]/.test(last)) break;
    // URLSearchParams never throws, unlike decodeURIComponent.
    const next = new URLSearchParams(`v=${last.replaceAll("&", "%26")}`)
      .get("v") ?? "";
    if (next === last) break;
    results.push(next);
  }
  return results;
}

/** Returns `true` if a value contains a JSON Web Token or a URL's password. */
function isSecretValue(value: string): boolean {
  return hasJWT(value) || /\/\/[^/?#@:]*:[^/?#@]*@/.test(value);
}

function hasJWT(value: string): boolean {
  return /(?<![\w-])eyJ[\w-]{5}/.test(value);
}

/** Returns the names of the parameters and the JSON properties in a value. */
function namesIn(value: string): string[] {
  if (!/[=:]/.test(value)) return [];
  const plain = value.replace(
    /(?<!\\)\\+u([\da-f]{4})/gi,
    (_, code: string) => String.fromCharCode(parseInt(code, 16)),
  );
  const parameters = plain.split(/[?&#;]/)
    .filter((pair) => pair.indexOf("=") > 0)
    .map((pair) => pair.slice(0, pair.indexOf("=")));
  const properties = Array.from(
    plain.matchAll(
      /["'`]([^"'`\\]+)\\*["'`]\s*:|[{,(]\s*([^\s"'`{}(),:]+)\s*:/g,
    ),
    ([, quoted, bare]) => quoted ?? bare ?? "",
  );
  return [...parameters, ...properties];
}
