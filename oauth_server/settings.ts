import { checkedCaller, type UserSource } from "../auth/internal.ts";
import type { AuthenticatedUser } from "../auth/middleware/mod.ts";
import {
  checkPositive,
  isLoopback,
  safeRedirectPath,
} from "../router/internal.ts";
import { checkSecrets } from "../session/internal.ts";
import type { SessionStore } from "../session/mod.ts";
import type { Clients } from "./clients/client.ts";
import { createClients } from "./clients/create_clients.ts";
import type { RegistrationPart } from "./clients/registration_part.ts";
import type { DeviceParts } from "./device/device_parts.ts";
import type { DPoPParts } from "./dpop/dpop_parts.ts";
import { GrantStore, type Lifetimes } from "./grants/grant_store.ts";
import type { JWTParts } from "./jwt/jwt_parts.ts";
import type {
  AuthorizationServerOptions,
  GrantEvent,
  ResourceOf,
  Resources,
  ServerPaths,
} from "./options.ts";
import { english } from "./messages/english.ts";
import type { ServerMessages } from "./messages/messages.ts";
import type { ServerPages } from "./pages/page_options.ts";
import type { CreatePart, PartSettings, ServerPart } from "./server_part.ts";
import { Tokens } from "./grants/tokens.ts";

/** The options of a server, with their defaults. */
export interface Settings {
  readonly issuer: string;
  readonly users: UserSource<AuthenticatedUser>;
  readonly store: SessionStore;
  readonly resources: ReadonlyMap<string, Resource>;
  readonly loginPath: string;
  readonly confirmPath: string;
  readonly clients: Clients;
  readonly pages: ServerPages;
  readonly messages: readonly ServerMessages[];
  readonly lifetimes: Lifetimes;
  readonly paths: Required<ServerPaths>;
  readonly cors: readonly string[] | "*";
  readonly onEvent: ((event: GrantEvent) => void) | undefined;
  readonly now: () => number;
  readonly tokens: Tokens;
  readonly grants: GrantStore;
  /** The parts with an endpoint, among them those below. */
  readonly parts: readonly ServerPart[];
  /** The device grant, or `null` without it. */
  readonly device: DeviceParts | null;
  /** JWT access tokens, or `null` without them. */
  readonly jwt: JWTParts | null;
  /** Clients that register themselves, or `null` without them. */
  readonly registration: RegistrationPart | null;
  /** Tokens that are bound to keys, or `null` without them. */
  readonly dpop: DPoPParts | null;
}

/** A resource with its defaults. */
export interface Resource {
  readonly url: string;
  readonly name: string;
  /** The scopes in words. */
  readonly scopes: ReadonlyMap<string, string>;
  readonly defaultScopes: readonly string[];
  /** The longest time since the login by scope, in milliseconds. */
  readonly fresh: ReadonlyMap<string, number>;
  /** `true` if its access tokens are JWTs. */
  readonly isJWT: boolean;
}

const OWNER = "the authorization server";
const DAY = 86_400_000;

/** The maximum number of scopes: access tokens have a bit for each. */
const MAX_SCOPES = 32;

/** The bounds of the lifetimes, in milliseconds. */
const MIN_ACCESS = 60_000;
const MAX_GRACE = 60_000;

/** The limit of an expiry in a token, which is 32 bits of seconds. */
const MAX_TOTAL = 10 * 365 * DAY;

/**
 * Checks the options.
 *
 * @throws {TypeError} If an option is missing or malformed.
 * @throws {RangeError} If a number is out of range, or a secret is weak.
 */
export function settingsOf<User extends AuthenticatedUser, R extends Resources>(
  options: AuthorizationServerOptions<User, R>,
): Settings {
  const { cors = "*", issuer, now = Date.now, onEvent, pages = {} } = options;
  const { loginPath, messages = [english], secrets, store } = options;
  if (!messages?.[0]?.language) fail("messages has no language");
  checkURL(issuer, "issuer");
  if (issuer.endsWith("/")) fail("issuer ends with a slash");
  checkSecrets(secrets, OWNER, "create");
  if (store?.byIndex === undefined) fail("the store has no byIndex");
  const call = checkedCaller(store, {
    owner: OWNER,
    race: "which request uses a code or a token first",
  });
  if (typeof options.users?.find !== "function") fail("users has no find");
  const lifetimes = lifetimesOf(options.lifetimes ?? {});
  const tokens = new Tokens(secrets, issuer);
  const world = { issuer, lifetimes, now, secrets, store, tokens };
  const parts = partsOf(options, world);
  return {
    issuer,
    // The rest of the server only passes users back to these functions.
    users: options.users as unknown as UserSource<AuthenticatedUser>,
    store,
    resources: resourcesOf(options.resources, parts.jwt !== null),
    loginPath: checkPath(loginPath, "loginPath"),
    confirmPath: checkPath(options.confirmPath ?? loginPath, "confirmPath"),
    clients: createClients({ ...options, registration: parts.registration }),
    pages,
    messages,
    lifetimes,
    paths: pathsOf(options.paths ?? {}),
    cors,
    onEvent,
    now,
    tokens,
    grants: new GrantStore(call, { issuer, lifetimes, now }),
    ...parts,
  };
}

function fail(reason: string): never {
  throw new TypeError(`Cannot create ${OWNER}: ${reason}`);
}

function failRange(reason: string): never {
  throw new RangeError(`Cannot create ${OWNER}: ${reason}`);
}

/** The options that create a part. */
type PartOptions = Pick<
  AuthorizationServerOptions<AuthenticatedUser, Resources>,
  "device" | "dpop" | "introspection" | "jwt" | "registration"
>;

function partsOf(
  options: PartOptions,
  settings: PartSettings,
): Pick<Settings, "device" | "dpop" | "jwt" | "parts" | "registration"> {
  const device = partOf<DeviceParts>(options, "device", settings);
  const introspection = partOf<ServerPart>(options, "introspection", settings);
  const jwt = partOf<JWTParts>(options, "jwt", settings);
  const registration = partOf<RegistrationPart>(
    options,
    "registration",
    settings,
  );
  const parts = [device, introspection, jwt, registration]
    .filter((part) => part !== null);
  const dpop = partOf<DPoPParts>(options, "dpop", settings);
  return { device, dpop, jwt, parts, registration };
}

/** Creates the part of an option, whose type hides it from callers. */
function partOf<Part>(
  options: PartOptions,
  name: keyof PartOptions,
  settings: PartSettings,
): Part | null {
  const option = options[name];
  if (option === undefined) return null;
  if (typeof option?.parts !== "function") {
    fail(`${name} is not the result of its function`);
  }
  return (option.parts as CreatePart<Part>)(settings);
}

/** Checks an https URL, or http on localhost, without user, query and fragment. */
function checkURL(text: unknown, name: string): void {
  const url = typeof text === "string" && /^[!-~]+$/.test(text)
    ? URL.parse(text)
    : null;
  const isSecure = url?.protocol === "https:" ||
    url?.protocol === "http:" && isLoopback(url.hostname);
  if (
    url === null || !isSecure || /[?#]/.test(url.href) || url.username !== "" ||
    url.password !== ""
  ) {
    fail(`${name} is not an https URL without query and fragment`);
  }
}

/** Checks the path of a page of the application, which gets a parameter. */
function checkPath(path: string, name: string): string {
  const safe = safeRedirectPath(path, "");
  if (safe === "" || safe.includes("#")) {
    fail(`${name} is not a path on this origin without a fragment`);
  }
  return safe;
}

function pathsOf(paths: ServerPaths): Required<ServerPaths> {
  const all = {
    authorize: "/authorize",
    token: "/token",
    revoke: "/revoke",
    // Applications often have a page "/register".
    register: "/oauth/register",
    device: "/device",
    deviceCode: "/device/code",
    introspect: "/introspect",
    jwks: "/jwks",
    ...paths,
  };
  for (const [name, path] of Object.entries(all)) {
    if (!/^(?:\/[\w.~-]+)+$/.test(path)) {
      fail(`the path "${name}" is not one such as "/oauth/token"`);
    }
  }
  if (new Set(Object.values(all)).size < Object.keys(all).length) {
    fail("two paths are equal");
  }
  return all;
}

function lifetimesOf(
  given: NonNullable<
    AuthorizationServerOptions<AuthenticatedUser, Resources>["lifetimes"]
  >,
): Lifetimes {
  const { access = 600_000, idle = 30 * DAY, total = 365 * DAY } = given;
  const { grace = 30_000 } = given;
  const bounds = {
    total: [total, MAX_TOTAL],
    access: [access, DAY],
    idle: [idle, total],
  } as const;
  for (const [name, [value, most]] of Object.entries(bounds)) {
    checkPositive(OWNER, `lifetimes.${name}`, value, most);
  }
  if (access < MIN_ACCESS) {
    failRange("lifetimes.access is less than a minute");
  }
  if (!(grace >= 0 && grace <= MAX_GRACE)) {
    failRange("lifetimes.grace is not between 0 and a minute");
  }
  return { access, idle, total, grace };
}

function resourcesOf(
  resources: Resources,
  hasJWT: boolean,
): ReadonlyMap<string, Resource> {
  const entries = Object.entries(resources ?? {});
  if (entries.length === 0) fail("there is no resource");
  const seen = new Set<string>();
  return new Map(entries.map(([url, resource]) => {
    checkURL(url, `the resource "${url}"`);
    for (const scope of Object.keys(resource.scopes ?? {})) {
      // A guard of one resource must not accept the tokens of another.
      if (seen.has(scope)) fail(`two resources have the scope "${scope}"`);
      seen.add(scope);
    }
    return [url, resourceOf(url, resource, hasJWT)];
  }));
}

function resourceOf(
  url: string,
  resource: ResourceOf<string>,
  hasJWT: boolean,
): Resource {
  const { format = "opaque", fresh = {}, name, scopes } = resource;
  const names = Object.keys(scopes ?? {});
  if (typeof name !== "string" || name === "") {
    fail(`the resource "${url}" has no name`);
  }
  if (names.length === 0 || names.length > MAX_SCOPES) {
    fail(`the resource "${url}" has no scopes, or more than ${MAX_SCOPES}`);
  }
  if (format !== "opaque" && !(hasJWT && format === "at+jwt")) {
    fail(`the resource "${url}" has another format, or no option jwt`);
  }
  const times = new Map(Object.entries(fresh) as [string, number][]);
  for (const [scope, time] of times) {
    if (time >= MIN_ACCESS) continue;
    // A shorter time would have passed when the browser returns from the login.
    failRange(`the time of the scope "${scope}" is less than a minute`);
  }
  const defaultScopes = resource.defaultScopes ??
    names.filter((scope) => !times.has(scope));
  const unknown = [...times.keys(), ...defaultScopes]
    .find((scope) => !names.includes(scope));
  if (unknown !== undefined) {
    fail(`the resource "${url}" has no scope "${unknown}"`);
  }
  return {
    url,
    name,
    scopes: new Map(Object.entries(scopes)),
    defaultScopes,
    fresh: times,
    isJWT: format === "at+jwt",
  };
}
