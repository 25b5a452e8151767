import {
  createIntrospection,
  type IntrospectionOptions,
  type ResourceServerOptions,
} from "@gatehouse/web/auth/access-tokens";
import {
  type Changes,
  createAPI,
  now,
  resource,
  type ResourceUser,
  type Scope,
  seconds,
} from "./_resource.ts";
import type { SeenRequest } from "./_test_provider.ts";

/** The responses of the issuer by the token. Others are not active. */
export type Responses = Record<string, unknown>;

/** Returns the response for an active token. `undefined` removes a member. */
export function activeToken(changes: Changes = {}): Changes {
  return {
    active: true,
    sub: "user-1",
    aud: resource,
    exp: seconds + 300,
    iat: seconds,
    client_id: "app",
    scope: "notes:read",
    token_type: "Bearer",
    ...changes,
  };
}

/** Creates an API whose issuer introspects its tokens. */
export async function createIntrospectingAPI(
  introspection: Partial<IntrospectionOptions> = {},
  options: Partial<ResourceServerOptions<ResourceUser, Scope>> = {},
) {
  const clock = { now };
  const responses: Responses = { t0ken: activeToken() };
  const api = await createAPI({
    now: () => clock.now,
    issuers: [{
      issuer: "https://id.example",
      introspection: createIntrospection({
        clientId: "notes-api",
        clientSecret: "s3cret & more",
        ...introspection,
      }),
    }],
    ...options,
  });
  const { provider } = api;
  provider.faults.metadata = (metadata) => ({
    ...metadata,
    introspection_endpoint: "https://id.example/introspect",
    introspection_endpoint_auth_methods_supported: ["client_secret_basic"],
  });
  const respond = ({ form, path }: SeenRequest): Response | undefined => {
    if (path !== "/introspect") return undefined;
    const token = form.get("token") ?? "";
    return Response.json(responses[token] ?? { active: false });
  };
  provider.faults.respond = respond;
  return {
    ...api,
    clock,
    responses,
    respond,
    /** Returns the number of requests about tokens. */
    asked: () => provider.count("/introspect"),
  };
}
