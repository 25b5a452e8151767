/**
 * The name of an authentication method, as in the `amr` claim of ID tokens: `pwd`
 * (password), `otp` (one-time password), `hwk` and `swk` (key in hardware or
 * software), `user` (user presence), `mfa` (two factors or more). Gatehouse adds
 * `email` (link or code by email), `recovery` (recovery code) and `device`
 * (remembered device). Other names are allowed.
 *
 * @see {@link https://www.rfc-editor.org/rfc/rfc8176#section-2 | RFC 8176, section 2}
 */
export type AuthMethod =
  | "pwd"
  | "otp"
  | "hwk"
  | "swk"
  | "user"
  | "mfa"
  | "email"
  | "recovery"
  | "device"
  | (string & Record<never, never>);

/** The maximum number of methods of one login. */
const MAX_METHODS = 16;

/**
 * Checks the methods of a login, which may come from an ID token.
 *
 * @throws {TypeError} If there are too many, or one is not a short name.
 */
export function checkMethods(methods: readonly unknown[]): void {
  const isName = (method: unknown) =>
    typeof method === "string" && /^[\w.:/-]{1,64}$/.test(method);
  if (methods.length <= MAX_METHODS && methods.every(isName)) return;
  throw new TypeError(
    `Cannot use the authentication methods: they are not at most ${MAX_METHODS} short names, such as "pwd"`,
  );
}
