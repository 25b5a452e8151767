import type { TestClient } from "../router/testing.ts";
import type { ConnectTestOptions } from "./testing.ts";

/** The endpoints of a server. */
export interface Metadata {
  readonly issuer: string;
  readonly authorization_endpoint: string;
  readonly token_endpoint: string;
  readonly revocation_endpoint: string;
}

/** Throws the error of a client that cannot connect. */
export function fail(reason: string): never {
  throw new Error(`Cannot connect the client: ${reason}`);
}

/** Reads the metadata (RFC 8414, section 3). */
export async function readMetadata(
  browser: TestClient,
  issuer: string,
): Promise<Metadata> {
  const { origin, pathname } = new URL(issuer);
  const path = pathname === "/" ? "" : pathname;
  const url = `${origin}/.well-known/oauth-authorization-server${path}`;
  const response = await browser.fetch(url, { credentials: "omit" });
  if (!response.ok) fail(`"${url}" returned the status ${response.status}`);
  const metadata: Metadata = await response.json();
  return metadata.issuer === issuer
    ? metadata
    : fail(`the issuer is "${metadata.issuer}"`);
}

/** Approves a request in the browser, and returns the code. */
export async function authorize(
  browser: TestClient,
  { challenge, metadata, options, state }: {
    readonly challenge: string;
    readonly metadata: Metadata;
    readonly options: ConnectTestOptions;
    readonly state: string;
  },
): Promise<string> {
  const { clientId, redirectUri, resource, scopes } = options;
  const params = new URLSearchParams({
    response_type: "code",
    client_id: clientId,
    state,
    code_challenge: challenge,
    code_challenge_method: "S256",
    ...redirectUri !== undefined && { redirect_uri: redirectUri },
    ...resource !== undefined && { resource },
    ...scopes !== undefined && { scope: scopes.join(" ") },
  });
  const url = metadata.authorization_endpoint;
  const page = await browser.fetch(`${url}?${params}`);
  const response = page.status === 200
    ? await approve(browser, url, await page.text())
    : page;
  const target = targetOf(response);
  if (target === null) fail(await response.text());
  const { searchParams } = target;
  if (searchParams.has("returnTo")) fail("the browser is not logged in");
  // The client must compare the issuer (RFC 9207, section 2.4).
  if (searchParams.get("iss") !== metadata.issuer) fail("iss is wrong");
  if (searchParams.get("state") !== state) fail("state is wrong");
  return searchParams.get("code") ?? fail(String(searchParams));
}

/** Sends the form of the consent page with all its scopes. */
async function approve(
  browser: TestClient,
  url: string,
  page: string,
): Promise<Response> {
  const body = new URLSearchParams({ decision: "approve" });
  for (const [, name, value] of page.matchAll(INPUT)) {
    body.append(name!, value!);
  }
  const headers = { Origin: new URL(url).origin };
  return await browser.fetch(url, { method: "POST", headers, body });
}

/** Matches the inputs of the consent page. */
const INPUT = /name="(request|scope)" value="([^"]*)"/g;

/** Returns the URL of a redirect, or of the page that opens the client. */
function targetOf({ headers }: Response): URL | null {
  const location = headers.get("Location") ??
    headers.get("Refresh")?.replace("0; url=", "");
  // A path is that of the login page.
  return location === undefined ? null : URL.parse(location, "http://login/");
}
