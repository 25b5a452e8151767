import { assertEquals } from "@std/assert";
import { deviceGrant } from "@gatehouse/web/oauth-server";
import type { TestClient } from "@gatehouse/web/testing";
import {
  type ConsentForm,
  ORIGIN,
  post,
  readConsent,
  type ServerSettings,
  startServer,
  type TestServer,
  type TokenBody,
} from "../_server.ts";

export const DEVICE_CODE = "urn:ietf:params:oauth:grant-type:device_code";

export const CLIENTS = [
  { id: "tv", name: "TV", grants: ["device"] },
  { id: "radio", name: "Radio", grants: ["device"] },
  { id: "web", name: "Web", redirectUris: ["https://client.example/cb"] },
] as const;

export function startDevices(settings: ServerSettings = {}): TestServer {
  return startServer({ device: deviceGrant(), clients: CLIENTS, ...settings });
}

export interface DeviceCodes {
  readonly device_code: string;
  readonly user_code: string;
  readonly verification_uri: string;
  readonly verification_uri_complete: string;
  readonly expires_in: number;
  readonly interval: number;
}

/** Starts a device. */
export async function start(
  server: TestServer,
  form: Readonly<Record<string, string>> = {},
): Promise<DeviceCodes> {
  const all = { client_id: "tv", ...form };
  const response = await post(server, "/device/code", all);
  assertEquals(response.status, 200);
  assertEquals(response.headers.get("Cache-Control"), "no-store");
  return await response.json();
}

/** Asks for the tokens of a device, and returns them or the error. */
export async function poll(
  server: TestServer,
  { device_code }: Pick<DeviceCodes, "device_code">,
  client = "tv",
): Promise<TokenBody & { readonly error?: string }> {
  const form = { grant_type: DEVICE_CODE, client_id: client, device_code };
  return await (await post(server, "/token", form)).json();
}

/** Sends the code that a user types. */
export function open(browser: TestClient, code: string): Promise<Response> {
  return browser.fetch("/device", {
    method: "POST",
    headers: { Origin: ORIGIN },
    body: new URLSearchParams({ user_code: code }),
  });
}

/** Sends the form of the page. */
export function send(
  browser: TestClient,
  { handle, scopes }: Pick<ConsentForm, "handle" | "scopes">,
  decision = "approve",
): Promise<Response> {
  const body = new URLSearchParams({ request: handle, decision });
  for (const scope of scopes) body.append("scope", scope);
  return browser.fetch("/device", { method: "POST", body });
}

/** Approves or refuses a device. */
export async function decide(
  browser: TestClient,
  { user_code }: Pick<DeviceCodes, "user_code">,
  decision = "approve",
): Promise<void> {
  const form = await readConsent(await open(browser, user_code));
  assertEquals((await send(browser, form, decision)).status, 200);
}
