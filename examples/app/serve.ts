import { createDemoProvider } from "./demo_provider.ts";
import { createOIDCLogin, type OIDCRegistration } from "./external_logins.ts";
import { type NoticeboardOptions, openNoticeboard } from "./noticeboard.ts";
import type { Settings } from "./settings.ts";

/** The address to listen on. */
export interface Address {
  readonly port: number;
  readonly hostname: string;
}

/** Answers the requests of a server. */
export type Answer = (
  request: Request,
  ...platform: unknown[]
) => Promise<Response>;

/** Serves a function on an address, in the way of the runtime. */
export type Listen = (
  address: Address,
  fetch: Answer,
) => void | Promise<void>;

/** Options for {@linkcode serveNoticeboard}. */
export interface ServeOptions extends Omit<NoticeboardOptions, "logins"> {
  readonly listen: Listen;
  /**
   * Ends the process after a message. Without it, the error is thrown.
   *
   * @default {undefined}
   */
  readonly exit?: (code: number) => void;
}

/** Serves the application, and on this computer its demo identity provider. */
export async function serveNoticeboard(
  { listen, exit, ...options }: ServeOptions,
): Promise<void> {
  const { port, hostname, baseURL } = options.settings;
  const board = Promise.withResolvers<{ readonly fetch: Answer }>();
  try {
    // First of all: nothing else is worth doing if the port is in use.
    await listen(
      { port, hostname },
      async (request, ...platform) =>
        await (await board.promise).fetch(request, ...platform),
    );
  } catch (error) {
    if (!isPortInUse(error) || exit === undefined) throw error;
    console.error(`Port ${port} is in use: set PORT to another one`);
    return exit(1);
  }
  const demo = await serveDemoProvider(options.settings, listen);
  const logins = demo === null
    ? []
    : [createOIDCLogin(demo, { baseURL, reportError: console.error })];
  board.resolve(await openNoticeboard({ ...options, logins }));
  console.log(`\n  Noticeboard is open: ${baseURL}\n`);
}

function isPortInUse(error: unknown): boolean {
  return (error as { readonly code?: unknown }).code === "EADDRINUSE";
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
  const provider = createDemoProvider({ issuer, baseURL, name });
  try {
    await listen(address, provider.fetch);
  } catch (error) {
    if (!isPortInUse(error)) throw error;
    console.error(
      `Port ${demoPort} is in use: no demo identity provider (set DEMO_PORT)`,
    );
    return null;
  }
  return provider.registration;
}
