import {
  createCredentialsAuthProvider,
  type CredentialsAuthProvider,
} from "@gatehouse/web/auth";
import {
  hashPassword,
  type PasswordQueue,
  PasswordRefusedError,
  verifyPassword,
} from "@gatehouse/web/auth/password";
import { parseSafe } from "@gatehouse/web/data-schema";
import type { RequestContext } from "@gatehouse/web/fetch-router";
import type { Session } from "@gatehouse/web/session";
import type { UserLogin } from "./data/users.ts";
import { failed, NewPassword } from "./forms.ts";
import { logIn, unlessEnded } from "./log_in.ts";
import type { FormState } from "./pages/form_fields.ts";
import type { Services } from "./services.ts";

/** The email address and the password that a user typed. */
export interface PasswordCredentials {
  readonly email: string;
  readonly password: string;
}

/**
 * Creates a provider that verifies the password of a user. All of them share one
 * throttle: a guess on one page counts on the others.
 *
 * @param parse Reads the email address and the password from the request.
 */
export function passwordProvider(
  services: Services,
  parse: (context: RequestContext) => PasswordCredentials | null,
): CredentialsAuthProvider<PasswordCredentials, UserLogin> {
  return createCredentialsAuthProvider({
    name: "password",
    parse,
    throttle: services.loginThrottle,
    account: ({ email }) => email,
    verify: (credentials) => verify(services, credentials),
  });
}

async function verify(
  { users, passwords }: Services,
  { email, password }: PasswordCredentials,
): Promise<UserLogin | null> {
  for (;;) {
    const found = await users.findLogin(email);
    // An unknown user takes as long as a wrong password.
    const hash = found?.passwordHash ?? "";
    const { ok, needsRehash } = await verifyPassword(hash, password, passwords);
    if (found === null || !ok) return null;
    if (!needsRehash) return found;
    const passwordHash = await hashPassword(password, passwords);
    const { id } = found.user;
    if (await users.rehashPassword(id, hash, passwordHash)) {
      return { ...found, passwordHash };
    }
    // Another login or a change of password has replaced it: try again.
  }
}

/**
 * Logs in a user who has proved their password.
 *
 * @returns The session, or `null` if access was ended meanwhile, for example
 * because the password was changed.
 */
export async function completePasswordLogin(
  context: RequestContext,
  { user }: UserLogin,
): Promise<Session | null> {
  return await unlessEnded(logIn(context, user, { methods: ["pwd"] }));
}

/** The message for a password that attackers would guess. */
export const TOO_COMMON =
  "This password is too common. Please choose another one.";

/**
 * Hashes a new password.
 *
 * @param queue The queue to wait in. By default it is that of all logins.
 * @returns The hash, or `null` for a common password.
 */
export async function hashNewPassword(
  { passwords }: Services,
  password: string,
  queue?: PasswordQueue,
): Promise<string | null> {
  try {
    const options = { ...passwords, refuse: isCommon, queue };
    return await hashPassword(password, options);
  } catch (error) {
    if (error instanceof PasswordRefusedError) return null;
    throw error;
  }
}

/** The hash of a new password, or the state of a form that failed. */
export type NewPasswordResult =
  | { readonly ok: true; readonly hash: string }
  | { readonly ok: false; readonly state: FormState };

/** Validates the form of a new password, and hashes the password. */
export async function readNewPassword(
  services: Services,
  form: FormData,
): Promise<NewPasswordResult> {
  const result = parseSafe(NewPassword, form);
  if (!result.success) {
    return { ok: false, state: failed(form, [], result.issues) };
  }
  const hash = await hashNewPassword(services, result.value.password);
  return hash === null
    ? { ok: false, state: { errors: { password: TOO_COMMON } } }
    : { ok: true, hash };
}

/**
 * The most common passwords of at least eight characters. An application with
 * more at stake uses a list of thousands, or `createBreachedPasswordCheck`.
 */
const common = new Set([
  "00000000",
  "11111111",
  "11223344",
  "12341234",
  "12345678",
  "123456789",
  "1234567890",
  "123123123",
  "1q2w3e4r",
  "1qaz2wsx",
  "87654321",
  "987654321",
  "aaaaaaaa",
  "abcd1234",
  "abcdefgh",
  "asdfghjk",
  "baseball",
  "changeme",
  "computer",
  "football",
  "iloveyou",
  "letmein1",
  "noticeboard",
  "password",
  "password1",
  "password12",
  "password123",
  "princess",
  "qwerty123",
  "qwertyui",
  "qwertyuiop",
  "starwars",
  "sunshine",
  "superman",
  "trustno1",
  "welcome1",
  "whatever",
]);

function isCommon(password: string): boolean {
  return common.has(password.toLowerCase());
}
