/**
 * The settings of the application, read from environment variables. On this
 * computer, all are optional:
 *
 * - `PORT`: the port to listen on, 8000 by default; `HOST`, 127.0.0.1 by default
 * - `BASE_URL`: the address that browsers see, if it is behind a proxy
 * - `TRUSTED_PROXIES`: the number of proxies in front, 0 by default. They report
 *   the addresses of clients, by which guesses of passwords are counted
 * - `SECRET`: encrypts second factors and emailed codes, 32 random characters or
 *   more; several are separated by spaces, the latest first. Required unless
 *   `BASE_URL` is on this computer: then the database has one
 * - `MAIL_URL`: receives each email as JSON with `to`, `subject`, `text`, `html`.
 *   Required unless `BASE_URL` is on this computer: then emails are printed
 * - `DATABASE`: the SQLite file; `REDIS_URL`: the Redis server for sessions, on Bun
 * - `PORTAL_CLIENT_ID`, `PORTAL_CLIENT_SECRET`: login with Google; the redirect
 *   URI to register there is `BASE_URL/login/with/portal/callback`. Likewise
 *   `CODE_HOST_…` (GitHub), `OFFICE_SUITE_…` (Microsoft), `SOCIAL_…` (Facebook),
 *   `MICROBLOG_…` (X), `IDENTITY_CLOUD_…` (Auth0, also `IDENTITY_CLOUD_DOMAIN`)
 *   and `WORKFORCE_ID_…` (Okta, also `WORKFORCE_ID_ISSUER`)
 * - `OIDC_ISSUER`, `OIDC_CLIENT_ID`, `OIDC_CLIENT_SECRET`, `OIDC_LABEL`: login
 *   with any other OpenID provider
 * - `DEMO_PORT`: the port of the demo identity provider, 8001 by default. It
 *   runs only if `BASE_URL` is on this computer
 *
 * @module
 */

/** Returns the value of a variable, or `undefined` if it is not set. */
export type Variables = (name: string) => string | undefined;

/** The settings of the application. */
export interface Settings {
  /** Returns a setting that is not listed here. */
  readonly get: Variables;
  readonly port: number;
  readonly hostname: string;
  /** The address that browsers see. */
  readonly baseURL: string;
  readonly trustedProxies: number;
  readonly demoPort: number;
  /**
   * `true` if only this computer can reach the application: it listens on a loopback
   * address, and browsers see one.
   */
  readonly isLocal: boolean;
}

/**
 * Reads the settings.
 *
 * @throws {RangeError} If `TRUSTED_PROXIES` is invalid.
 */
export function readSettings(get: Variables): Settings {
  const port = Number(get("PORT") ?? 8000);
  const hostname = get("HOST") ?? "127.0.0.1";
  const url = new URL(get("BASE_URL") ?? `http://localhost:${port}`);
  const loopback = ["localhost", "127.0.0.1", "[::1]", "::1"];
  const proxies = get("TRUSTED_PROXIES") ?? "0";
  // The application would trust the wrong addresses.
  if (!/^\d{1,2}$/.test(proxies)) {
    throw new RangeError(
      `Cannot start: TRUSTED_PROXIES "${proxies}" is not a small whole number`,
    );
  }
  return {
    get,
    port,
    hostname,
    baseURL: url.origin,
    trustedProxies: Number(proxies),
    demoPort: Number(get("DEMO_PORT") ?? 8001),
    isLocal: loopback.includes(hostname) && loopback.includes(url.hostname),
  };
}
