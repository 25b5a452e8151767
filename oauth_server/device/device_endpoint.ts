import type { RequestContext } from "../../router/mod.ts";
import { accessOf, Refusal } from "../authorize/authorization_request.ts";
import { grantedClient } from "../clients/client.ts";
import { DEVICE_LIFETIME, type GrantRow } from "../grants/grant_store.ts";
import { randomGrantKey } from "../grants/tokens.ts";
import type { Settings } from "../settings.ts";
import { type GrantRequest, registeredClient } from "../token/grant_checks.ts";
import { answerForm } from "../token/token_endpoint.ts";
import type { TokenResult } from "../token/token_response.ts";
import type { DeviceLimits } from "./limits.ts";
import { INTERVAL } from "./poll_pace.ts";
import {
  displayedUserCode,
  namesOfUserCode,
  randomUserCode,
} from "./user_code.ts";

/** Answers the device authorization endpoint (RFC 8628, section 3.1). */
export async function answerDeviceCode(
  settings: Settings,
  { start }: DeviceLimits,
  context: RequestContext,
): Promise<Response> {
  // A limit always returns a response: its own, or that of the function.
  return await start(
    context,
    () => answerForm(settings, context, startDevice),
  ) as Response;
}

async function startDevice(request: GrantRequest): Promise<TokenResult> {
  const { context, form, settings } = request;
  const client = await registeredClient(request, "device");
  if ("error" in client) return client;
  try {
    const { resource, scopes } = accessOf(settings, form, client);
    const now = settings.now();
    return await addDevice(settings, {
      userId: "",
      version: null,
      client: grantedClient(client),
      name: client.name,
      redirectUri: "",
      resource: resource.url,
      scopes,
      challenge: "",
      createdAt: now,
      authenticatedAt: null,
      exchangedAt: null,
      generation: 0,
      rotatedAt: now,
      device: { status: "waiting", address: context.remoteAddress },
    });
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    return { error: error.error, description: error.message };
  }
}

/** Stores a request, and answers with its codes. */
async function addDevice(
  { grants, issuer, paths, tokens }: Settings,
  row: GrantRow,
): Promise<TokenResult> {
  const code = randomUserCode();
  const [name] = await namesOfUserCode(tokens, code);
  const key = randomGrantKey();
  const device = { ...row.device!, name };
  if (!await grants.add(key, { ...row, device })) {
    return {
      error: "temporarily_unavailable",
      description: "The server has no room for another device",
      status: 503,
    };
  }
  const page = new URL(issuer).origin + paths.device;
  const displayed = displayedUserCode(code);
  return {
    body: {
      device_code: await tokens.derive("device", key),
      user_code: displayed,
      verification_uri: page,
      verification_uri_complete: `${page}?user_code=${displayed}`,
      expires_in: DEVICE_LIFETIME / 1000,
      interval: INTERVAL,
    },
  };
}
