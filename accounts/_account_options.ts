import { canonicalName, passwordSettingsOf } from "../auth/internal.ts";
import { safeRedirectPath } from "../router/internal.ts";
import { checkSecrets } from "../session/internal.ts";
import { isAddress } from "./actions/address.ts";
import {
  arrayOf,
  checkOptions,
  FUNCTION,
  isObject,
  OBJECT,
  oneOf,
  type OptionCheck,
} from "./option_checks.ts";
import type { AccountHooks } from "./hooks/hooks.ts";
import type { AccountFeature, AccountsOptions } from "./options.ts";

/** All features that an application can leave out. */
export const FEATURES: readonly AccountFeature[] = [
  "data",
  "deletion",
  "email-login",
  "passkeys",
];

/** The options whose checks need no other option. */
const OPTIONS: Readonly<Partial<Record<keyof AccountsOptions, OptionCheck>>> = {
  dialect: oneOf("sqlite", "postgres"),
  definition: [
    "the result of defineAccounts",
    (value) => isObject(value) && isObject(value.names) && "routes" in value,
  ],
  sessions: OBJECT,
  sendMail: FUNCTION,
  registration: oneOf("open", "invited", "closed"),
  admins: arrayOf(
    "email addresses",
    (item) => typeof item === "string" && isAddress(canonicalName(item)),
  ),
  passwords: OBJECT,
  features: arrayOf(
    FEATURES.map((name) => `"${name}"`).join(", "),
    (item) => FEATURES.includes(item as AccountFeature),
  ),
  apiKeys: OBJECT,
  providers: OBJECT,
  exportData: FUNCTION,
  hooks: OBJECT,
  secondFactorRequired: FUNCTION,
  home: [
    "a path of the origin",
    (value) =>
      typeof value === "string" && safeRedirectPath(value, "/") === value,
  ],
  layout: FUNCTION,
  contentSecurityPolicy: [
    "an object with arrays of strings",
    (value) => isObject(value) && Object.values(value).every(isStrings),
  ],
  now: FUNCTION,
};

const SESSION_OPTIONS: Readonly<Record<string, OptionCheck>> = {
  store: [
    "a store of sessions",
    // Sessions in cookies have no such function.
    (value) => isObject(value) && typeof value.get === "function",
  ],
  timeouts: OBJECT,
  remember: [
    "false or an object with positive timeouts",
    (value) => value === false || isLoginTimeouts(value),
  ],
};

const HOOKS: Readonly<Record<keyof AccountHooks, OptionCheck>> = {
  beforeRegister: FUNCTION,
  afterRegister: FUNCTION,
  beforeLogin: FUNCTION,
  beforeDelete: FUNCTION,
};

const KEY_OPTIONS: Readonly<Record<string, OptionCheck>> = {
  perMinute: [
    "a positive integer",
    (value) => Number.isSafeInteger(value) && Number(value) > 0,
  ],
};

/**
 * Checks the options whose checks need no other option.
 *
 * @throws {TypeError} If an option is malformed.
 * @throws {RangeError} If a cost of passwords is out of range, or a secret is weak.
 */
export function checkAccountsOptions(options: AccountsOptions): void {
  const verb = "create accounts";
  checkOptions(verb, options, OPTIONS);
  const { secrets } = options;
  if (secrets !== undefined) checkSecrets(secrets, "accounts", "create");
  const { apiKeys = {}, hooks = {}, passwords = {}, sessions = {} } = options;
  checkOptions(verb, sessions, SESSION_OPTIONS, "sessions.");
  checkOptions(verb, hooks, HOOKS, "hooks.");
  for (const name of Object.keys(hooks)) {
    if (Object.hasOwn(HOOKS, name)) continue;
    throw new TypeError(`Cannot create accounts: hook "${name}" is unknown`);
  }
  checkOptions(verb, apiKeys, KEY_OPTIONS, "apiKeys.");
  passwordSettingsOf(passwords);
}

function isStrings(value: unknown): boolean {
  return Array.isArray(value) && value.every((one) => typeof one === "string");
}

function isLoginTimeouts(value: unknown): boolean {
  if (!isObject(value)) return false;
  const { absolute, idle = absolute } = value;
  return [absolute, idle].every((time) =>
    typeof time === "number" && time > 0 && time < Infinity
  );
}
