/**
 * Serves the single-page application at http://localhost:8000, the demo identity
 * provider at http://localhost:8001 and the API at http://localhost:8002. Run it
 * with `deno task example:single-page`.
 */
import { createIdentityProvider } from "../identity_provider/identity_provider.ts";
import { createApp } from "./app.ts";
import { createNotesAPI } from "./notes_api.ts";

const origin = "http://localhost:8000";
const issuer = "http://localhost:8001";
const resource = "http://localhost:8002/v1";
const clientSecret = crypto.randomUUID();

const provider = createIdentityProvider({
  issuer,
  clients: [{
    id: "single-page",
    secret: clientSecret,
    redirectUris: [`${origin}/callback`],
  }],
  resources: [resource],
});
const api = createNotesAPI({ issuer, resource });
const app = createApp({
  origin,
  issuer,
  clientSecret,
  api: resource,
  // In production: from the environment.
  secret: crypto.randomUUID(),
});

Deno.serve({ hostname: "127.0.0.1", port: 8002 }, api.fetch);
Deno.serve({ hostname: "127.0.0.1", port: 8001 }, provider.fetch);
Deno.serve({ hostname: "127.0.0.1", port: 8000 }, app.fetch);
