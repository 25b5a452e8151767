import { createIdentityProvider } from "../identity_provider/identity_provider.ts";
import {
  type Noticeboard,
  type NoticeboardOptions,
  openNoticeboard,
} from "./noticeboard.ts";
import { clientOf, type OIDCRegistration } from "./providers.ts";
import type { Settings } from "./settings.ts";

/** Serves a function on an address, in the way of the runtime. */
export type Listen = (
  address: { readonly port: number; readonly hostname: string },
  fetch: (request: Request, ...platform: unknown[]) => Promise<Response>,
) => void | Promise<void>;

/** The functions of a runtime. `exit` ends the process. */
interface Runtime {
  readonly listen: Listen;
  readonly exit: (code: number) => void;
}

/** Serves the application, and on this computer its demo identity provider. */
export async function serveNoticeboard(
  { listen, exit, ...options }: NoticeboardOptions & Runtime,
): Promise<void> {
  const { port, hostname, baseURL } = options.settings;
  const board = Promise.withResolvers<Noticeboard>();
  // First of all: nothing else is worth doing if the port is in use.
  const isFree = await tryToListen(
    listen,
    { port, hostname },
    async (request, ...platform) =>
      await (await board.promise).fetch(request, ...platform),
  );
  if (!isFree) {
    console.error(`Port ${port} is in use: set PORT to another one`);
    return exit(1);
  }
  const provider = await serveDemoProvider(options.settings, listen);
  const opened = await openNoticeboard({ ...options, provider });
  board.resolve(opened);
  const job = setInterval(
    () => opened.sweep().catch(console.error),
    86_400_000,
  );
  // On Node and Bun, it would keep a server from stopping.
  Object(job).unref?.();
  console.log(`\n  Noticeboard is open: ${baseURL}\n`);
}

/** Listens on an address: `false` if its port is in use. */
async function tryToListen(
  listen: Listen,
  ...args: Parameters<Listen>
): Promise<boolean> {
  try {
    await listen(...args);
    return true;
  } catch (error) {
    if (Object(error).code === "EADDRINUSE") return false;
    throw error;
  }
}

/**
 * Serves the demo identity provider, if the application runs on this computer.
 *
 * @param name The name of the provider in the URLs of the application.
 * @returns The registration of the application with it, or `null` without one.
 */
export async function serveDemoProvider(
  { baseURL, demoPort }: Pick<Settings, "baseURL" | "demoPort">,
  listen: Listen,
  name = "demo",
): Promise<OIDCRegistration | null> {
  const { hostname } = new URL(baseURL);
  if (!["localhost", "127.0.0.1", "[::1]"].includes(hostname)) return null;
  // Not localhost, so that a browser keeps its cookies apart from ours.
  const address = { port: demoPort, hostname: "127.0.0.1" };
  const issuer = `http://${address.hostname}:${demoPort}`;
  const id = "noticeboard";
  const secret = crypto.randomUUID();
  const { redirectUri } = clientOf(baseURL, name);
  const provider = createIdentityProvider({
    issuer,
    clients: [{ id, secret, redirectUris: [redirectUri] }],
  });
  if (await tryToListen(listen, address, provider.fetch)) {
    const client = { clientId: id, clientSecret: secret };
    return { name, label: "Demo provider", issuer, ...client };
  }
  console.error(
    `Port ${demoPort} is in use: no demo identity provider (set DEMO_PORT)`,
  );
  return null;
}
