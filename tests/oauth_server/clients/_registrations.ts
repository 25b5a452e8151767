import { createRouter } from "@gatehouse/web/fetch-router";
import { createTestClient } from "@gatehouse/web/testing";
import type { RegistrationOptions } from "../../../oauth_server/clients/options.ts";
import { ClientWorld } from "./_client_world.ts";

export const METADATA = {
  client_name: "Editor",
  redirect_uris: ["http://127.0.0.1:33418/", "https://editor.example/callback"],
  grant_types: ["authorization_code", "refresh_token"],
  response_types: ["code"],
  token_endpoint_auth_method: "none",
};

/** Clients that register at a router. */
export function createWorld(
  registration: RegistrationOptions = {},
  remoteAddress = "192.0.2.1",
) {
  const world = new ClientWorld({ registration });
  const router = createRouter();
  router.post(
    "/register",
    (context) => world.registration!.answer({ dpop: null }, context),
  );
  const register = (body: unknown, address = remoteAddress, type?: string) =>
    createTestClient(router, { remoteAddress: address }).fetch("/register", {
      method: "POST",
      headers: { "Content-Type": type ?? "application/json" },
      body: typeof body === "string" ? body : JSON.stringify(body),
    });
  return { world, register };
}
