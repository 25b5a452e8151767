// Reads the guards before a route.

import type {
  MiddlewareDescription,
  SecurityScheme,
} from "../middleware/describe_middleware.ts";

/** The names of schemes, with the roles or scopes that each must grant. */
export type SecurityRequirement = Readonly<Record<string, readonly string[]>>;

/** The security of a route. */
export interface RouteSecurity {
  /** The alternatives; empty if there is no guard before the route. */
  readonly requirements: readonly SecurityRequirement[];
  /** The reason why the alternatives are incomplete. */
  readonly problem?: string;
}

/** The maximum number of alternatives for a route. */
const MAX_ALTERNATIVES = 100;

/** The security schemes of a document. */
export class SecuritySchemes {
  /** The schemes by the name of their component. */
  readonly components: Record<string, SecurityScheme> = {};

  /** Returns the security of a route, and adds the schemes that it names. */
  securityOf(before: readonly MiddlewareDescription[]): RouteSecurity {
    let cookie: string | undefined;
    let tried: MiddlewareDescription["schemes"];
    let sets: readonly (readonly string[])[] | undefined;
    for (const one of before) {
      cookie = one.cookie ?? cookie;
      tried = one.schemes && !one.onlySchemes
        ? { ...tried, ...one.schemes }
        : one.schemes ?? tried;
      if (one.requires) sets = combine(sets ?? [[]], one.requires);
    }
    if (sets === undefined) return { requirements: [] };
    const schemes = Object.entries(tried ?? {});
    const known = schemes.flatMap(([name, scheme]) =>
      scheme === undefined ? [] : [this.#add(name, withCookie(scheme, cookie))]
    );
    const unknown = schemes.filter(([, scheme]) => scheme === undefined)
      .map(([name]) => `"${name}"`).join(", ");
    const requirements = known.flatMap((name) => {
      const scheme = this.components[name]!;
      return different(sets.map((names) => scopesOf(scheme, names)))
        .map((names) => ({ [name]: names }));
    });
    const problem = schemes.length === 0
      ? "a guard has no auth() before it, so no request can pass"
      : unknown && `the authentication scheme ${unknown} has no description`;
    return { requirements, ...problem && { problem } };
  }

  /** Adds a scheme and returns the name of its component. */
  #add(name: string, scheme: SecurityScheme): string {
    const plain = name.replaceAll(/[^\w.-]/g, "_");
    const text = JSON.stringify(scheme);
    for (let count = 1;; count++) {
      const key = count === 1 ? plain : `${plain}${count}`;
      const known = Object.hasOwn(this.components, key)
        ? JSON.stringify(this.components[key])
        : undefined;
      if (known === undefined) this.components[key] = scheme;
      if (known === undefined || known === text) return key;
    }
  }
}

/**
 * Returns the names that a requirement of a scheme can contain: only scopes for OAuth
 * 2.0, and any role or scope for other schemes (OpenAPI 3.1.1, section 4.8.30).
 */
function scopesOf(
  scheme: SecurityScheme,
  names: readonly string[],
): readonly string[] {
  if (scheme.type !== "oauth2") return names;
  const { authorizationCode, clientCredentials } = scheme.flows;
  const scopes = { ...authorizationCode?.scopes, ...clientCredentials?.scopes };
  return names.filter((name) => Object.hasOwn(scopes, name));
}

/** Returns the sets without repetitions. */
function different(
  sets: readonly (readonly string[])[],
): readonly (readonly string[])[] {
  return [...new Map(sets.map((set) => [JSON.stringify(set), set])).values()];
}

/** Adds the cookie name to a scheme that reads the session. */
function withCookie(
  scheme: SecurityScheme,
  cookie: string | undefined,
): SecurityScheme {
  return scheme.type === "apiKey" && scheme.in === "cookie" && cookie
    ? { ...scheme, name: cookie }
    : scheme;
}

/** Combines each set of one guard with each set of the other. */
function combine(
  first: readonly (readonly string[])[],
  second: readonly (readonly string[])[],
): readonly (readonly string[])[] {
  const sets = first.flatMap((a) =>
    second.map((b) => [...new Set([...a, ...b])])
  );
  return sets.slice(0, MAX_ALTERNATIVES);
}
