/**
 * Starts the example application as a Worker in Miniflare, with a D1 database
 * and the demo identity provider, for `deno task start:worker`.
 */
import { Miniflare } from "npm:miniflare@4.20260730.0";
import { serveDemoProvider } from "../../examples/app/serve.ts";
import { readSettings } from "../../examples/app/settings.ts";
import { bundleFile } from "./bundle.ts";
import { onEnd } from "./signals.ts";
import { COMPATIBILITY_DATE } from "./workers.ts";

const APP = `${import.meta.dirname}/../../examples/app`;

/** The variables of identity providers in `settings.ts`. */
const OF_PROVIDERS = /_(?:CLIENT_ID|CLIENT_SECRET|ISSUER|DOMAIN|LABEL)$/;

const settings = readSettings((name) => Deno.env.get(name));
const { baseURL, port, hostname } = settings;
if (isInUse({ port, hostname })) {
  console.error(`Port ${port} is in use: set PORT to another one`);
  Deno.exit(1);
}
const worker = new Miniflare({
  modules: true,
  script: await bundleFile(`${APP}/worker.ts`),
  compatibilityDate: COMPATIBILITY_DATE,
  port,
  host: hostname,
  bindings: await variables(),
  d1Databases: ["DB"],
  d1Persist: settings.get("DATABASE") ?? `${APP}/d1`,
});
await worker.ready;
// The first request makes tables and demo accounts.
const first = await worker.dispatchFetch(baseURL);
const page = await first.text();
if (!first.ok) throw new Error(`The Worker does not start:\n${page}`);
console.log(`\n  Noticeboard is open: ${baseURL}\n`);

onEnd(async () => {
  await worker.dispose();
  Deno.exit();
});

/** Returns `true` if an address is in use. Miniflare would print its stack. */
function isInUse(address: Deno.TcpListenOptions): boolean {
  try {
    Deno.listen(address).close();
    return false;
  } catch (error) {
    return error instanceof Deno.errors.AddrInUse;
  }
}

/** Returns the variables of the Worker. */
async function variables(): Promise<Record<string, string>> {
  const own = Object.entries(Deno.env.toObject())
    .filter(([name]) => OF_PROVIDERS.test(name));
  return { ...Object.fromEntries(own), ...await demo(), BASE_URL: baseURL };
}

/**
 * Returns the demo identity provider, unless another provider is configured.
 */
async function demo(): Promise<Record<string, string>> {
  if (settings.get("OIDC_ISSUER") !== undefined) return {};
  const registration = await serveDemoProvider(settings, (address, fetch) => {
    Deno.serve({ ...address, onListen: () => {} }, fetch);
  }, "oidc");
  return registration === null ? {} : {
    OIDC_ISSUER: registration.issuer,
    OIDC_CLIENT_ID: registration.clientId,
    OIDC_CLIENT_SECRET: registration.clientSecret,
    OIDC_LABEL: registration.label,
  };
}
