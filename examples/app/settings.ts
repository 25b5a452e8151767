/**
 * What the environment says. Nothing has to be configured; these variables
 * change what is served:
 *
 * - `PORT`: where to listen, 8000 by default; `HOST`, 127.0.0.1 by default
 * - `BASE_URL`: the address that browsers see, where a proxy stands in front
 * - `TRUSTED_PROXIES`: how many proxies are in front, 0 by default; they tell the
 *   addresses of clients, which guesses of passwords are counted by
 * - `DATABASE`: the SQLite file, on Deno and on Bun
 * - `REDIS_URL`: where sessions are kept on Bun
 * - `PORTAL_CLIENT_ID`, `PORTAL_CLIENT_SECRET`: login with Google; the redirect
 *   URI to register there is `BASE_URL/auth/portal/callback`. Likewise
 *   `CODE_HOST_…` (GitHub), `OFFICE_SUITE_…` (Microsoft), `SOCIAL_…`
 *   (Facebook), `MICROBLOG_…` (X), `IDENTITY_CLOUD_…` (Auth0, which needs
 *   `IDENTITY_CLOUD_DOMAIN`) and `WORKFORCE_ID_…` (Okta, which needs
 *   `WORKFORCE_ID_ISSUER`)
 * - `OIDC_ISSUER`, `OIDC_CLIENT_ID`, `OIDC_CLIENT_SECRET`, `OIDC_LABEL`: login
 *   with any other OpenID provider
 * - `DEMO_PORT`: where the demo identity provider listens, 8001 by default;
 *   there is none where `BASE_URL` is not on this computer
 *
 * @module
 */

/** Reads a variable: `undefined` where it is not set. */
export type Variables = (name: string) => string | undefined;

/** How the application is served. */
export interface Settings {
  /** Reads what is not listed here. */
  readonly get: Variables;
  readonly port: number;
  readonly hostname: string;
  /** The address that browsers see. */
  readonly baseURL: string;
  readonly trustedProxies: number;
  readonly demoPort: number;
}

/**
 * Reads the settings.
 *
 * @throws {RangeError} If addresses of clients would be taken from anybody.
 */
export function readSettings(get: Variables): Settings {
  const port = Number(get("PORT") ?? 8000);
  return {
    get,
    port,
    hostname: get("HOST") ?? "127.0.0.1",
    baseURL: new URL(get("BASE_URL") ?? `http://localhost:${port}`).origin,
    trustedProxies: proxiesOf(get("TRUSTED_PROXIES") ?? "0"),
    demoPort: Number(get("DEMO_PORT") ?? 8001),
  };
}

/** Stops a server that would believe the wrong addresses. */
function proxiesOf(text: string): number {
  if (/^\d{1,2}$/.test(text)) return Number(text);
  throw new RangeError(
    `Cannot start: TRUSTED_PROXIES "${text}" is not a small whole number`,
  );
}
