import { createIdentityProvider } from "../identity_provider/identity_provider.ts";
import type { FetchFunction } from "@gatehouse/web/fetch-router";
import {
  createOIDCLogin,
  type ExternalLogin,
  type ExternalLoginOptions,
  redirectUri,
} from "./external_logins.ts";

/** A demo identity provider that is being served. */
export interface DemoProvider {
  /** How the application logs people in with it. */
  readonly login: ExternalLogin;
  /** Stops serving it. */
  shutdown(): Promise<void>;
}

/** What the demo identity provider needs to know. */
export interface DemoProviderOptions extends ExternalLoginOptions {
  /** Where to listen; 0 takes any free port. */
  readonly port: number;
}

/**
 * Serves the demo identity provider on a loopback listener of its own, and
 * registers the application with it. The address is 127.0.0.1, so that a
 * browser keeps its cookies apart from those of the application on localhost.
 *
 * @throws {Deno.errors.AddrInUse} If the port is taken.
 */
export async function serveDemoProvider(
  { port, ...options }: DemoProviderOptions,
): Promise<DemoProvider> {
  let handle: FetchFunction = () =>
    Promise.resolve(new Response("Service Unavailable", { status: 503 }));
  const server = Deno.serve(
    { port, hostname: "127.0.0.1", onListen: () => {} },
    (request, info) => handle(request, info),
  );
  const name = "demo";
  const registration = {
    name,
    label: "Demo provider",
    issuer: `http://127.0.0.1:${server.addr.port}`,
    clientId: "noticeboard",
    clientSecret: crypto.randomUUID(),
  };
  const provider = await createIdentityProvider({
    issuer: registration.issuer,
    clients: [{
      id: registration.clientId,
      secret: registration.clientSecret,
      redirectUris: [redirectUri(options.baseURL, name)],
    }],
  });
  handle = provider.fetch;
  return {
    login: createOIDCLogin(registration, options),
    shutdown: () => server.shutdown(),
  };
}
