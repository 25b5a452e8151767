import type { FetchFunction } from "@gatehouse/web/fetch-router";
import { createIdentityProvider } from "../identity_provider/identity_provider.ts";
import { type OIDCRegistration, redirectUri } from "./external_logins.ts";

/** A demo identity provider that knows the application. */
export interface DemoProvider {
  readonly fetch: FetchFunction;
  /** The registration of the application with it. */
  readonly registration: OIDCRegistration;
}

/** Options for {@linkcode createDemoProvider}. */
export interface DemoProviderOptions {
  /** Its own address, on this computer. */
  readonly issuer: string;
  /** The address of the application. */
  readonly baseURL: string;
  /** The name of the provider in the URLs of the application. */
  readonly name: string;
  /**
   * Returns the time in epoch milliseconds.
   *
   * @default {Date.now}
   */
  readonly now?: () => number;
}

/** Creates the demo identity provider, with the application as its client. */
export function createDemoProvider(
  { issuer, baseURL, name, now }: DemoProviderOptions,
): DemoProvider {
  const registration = {
    name,
    label: "Demo provider",
    issuer,
    clientId: "noticeboard",
    clientSecret: crypto.randomUUID(),
  };
  const { fetch } = createIdentityProvider({
    issuer,
    now,
    clients: [{
      id: registration.clientId,
      secret: registration.clientSecret,
      redirectUris: [redirectUri(baseURL, name)],
    }],
  });
  return { fetch, registration };
}
