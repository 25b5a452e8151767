import type { FetchFunction } from "@gatehouse/web/fetch-router";
import { createDemoProvider } from "./demo_provider.ts";
import { createOIDCLogin, type OIDCRegistration } from "./external_logins.ts";
import { type NoticeboardOptions, openNoticeboard } from "./noticeboard.ts";
import type { Settings } from "./settings.ts";

/** The address to listen on. */
export interface Address {
  readonly port: number;
  readonly hostname: string;
}

/** Serves a function on an address, in the way of the runtime. */
export type Listen = (address: Address, fetch: FetchFunction) => void;

/** Options for {@linkcode serveNoticeboard}. */
export interface ServeOptions extends Omit<NoticeboardOptions, "logins"> {
  readonly listen: Listen;
}

/** Serves the application, and on this computer its demo identity provider. */
export async function serveNoticeboard(
  { listen, ...options }: ServeOptions,
): Promise<void> {
  const { port, hostname, baseURL } = options.settings;
  const demo = await serveDemoProvider(options.settings, listen);
  const logins = demo === null
    ? []
    : [createOIDCLogin(demo, { baseURL, reportError: console.error })];
  const board = await openNoticeboard({ ...options, logins });
  listen({ port, hostname }, board.fetch);
  console.log(`\n  Noticeboard is open: ${baseURL}\n`);
}

/**
 * Serves the demo identity provider, if the application runs on this computer.
 *
 * @param name The name of the provider in the URLs of the application.
 * @returns The registration of the application with it, or `null` without one.
 */
export async function serveDemoProvider(
  { baseURL, demoPort }: Settings,
  listen: Listen,
  name = "demo",
): Promise<OIDCRegistration | null> {
  const { hostname } = new URL(baseURL);
  if (!["localhost", "127.0.0.1", "[::1]"].includes(hostname)) return null;
  // Not localhost, so that a browser keeps its cookies apart from ours.
  const address = { port: demoPort, hostname: "127.0.0.1" };
  const issuer = `http://${address.hostname}:${demoPort}`;
  const provider = await createDemoProvider({ issuer, baseURL, name });
  try {
    listen(address, provider.fetch);
  } catch (error) {
    if ((error as { code?: unknown }).code !== "EADDRINUSE") throw error;
    console.error(
      `Port ${demoPort} is taken: no demo identity provider (set DEMO_PORT)`,
    );
    return null;
  }
  return provider.registration;
}
