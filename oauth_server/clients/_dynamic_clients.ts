import { mediaTypeOf, readText } from "../../router/internal.ts";
import type { RequestContext } from "../../router/mod.ts";
import { checkedCaller } from "../../auth/internal.ts";
import { parseJSON, ValueStore } from "../../session/internal.ts";
import type { SessionStore } from "../../session/mod.ts";
import { rateLimit } from "../../session/middleware.ts";
import { randomToken } from "../../session/secrets.ts";
import { parseRegistration, type Registration } from "./_registration.ts";
import type { Client } from "./client.ts";
import type { RegistrationOptions } from "./options.ts";
import type { RegistrationPart } from "./registration_part.ts";
import type { Settings } from "../settings.ts";

/** The prefix of the ids of these clients, so that others cost no store call. */
const ID = /^dcr_[\w-]{22}$/;

/** The time that a client is kept after a user approved it, in milliseconds. */
const USED_TTL = 31_536_000_000;

/** The limits of a request body. */
const BODY = { maxBytes: 5_120, timeout: 5_000 } as const;

type RateLimit = ReturnType<typeof rateLimit>;

/** A stored client. */
interface DynamicClient extends Registration {
  readonly isUsed: boolean;
}

/** The world of {@linkcode DynamicClients}. */
export interface DynamicClientsConfig {
  readonly options: RegistrationOptions;
  readonly store: SessionStore;
  readonly now: () => number;
}

/**
 * Clients that registered themselves (RFC 7591). All of them are public.
 *
 * Anyone can register, so a client that no user approves is removed soon, and two
 * limits bound their number.
 */
export class DynamicClients implements RegistrationPart {
  readonly path = "register";
  readonly #clients: ValueStore<DynamicClient>;
  readonly #limits: Readonly<Record<"perAddress" | "total", RateLimit>>;
  readonly #now: () => number;

  constructor({ now, options, store }: DynamicClientsConfig) {
    const call = checkedCaller(store, {
      owner: "registration endpoint",
      race: "which client exists",
    });
    const { maxUnused = 1_000, perAddress = 20, unusedTtl = 86_400_000 } =
      options;
    this.#clients = new ValueStore(call, {
      prefix: "oauth-client",
      parse: (text) => parseJSON(text) as DynamicClient | null,
      ttl: ({ isUsed }) => isUsed ? USED_TTL : unusedTtl,
    });
    this.#limits = {
      perAddress: rateLimit({
        ...{ store, now, name: "oauth-register" },
        ...{ limit: perAddress, window: 3_600_000 },
      }),
      total: rateLimit({
        ...{ store, now, name: "oauth-register-all" },
        ...{ limit: maxUnused, window: unusedTtl, key: () => "all" },
      }),
    };
    this.#now = now;
  }

  metadata(url: string): Readonly<Record<string, unknown>> {
    return { registration_endpoint: url };
  }

  async find(id: string): Promise<Client | null> {
    if (!ID.test(id)) return null;
    const found = await this.#clients.get(await this.#clients.key(id));
    if (found === null) return null;
    const { name, needsProof, redirectUris } = found;
    return {
      ...{ id, name, redirectUris, grants: ["code"], trusted: false },
      ...needsProof && { needsProof },
      ...{ authentication: "none", isPublic: true, source: "dynamic" },
    };
  }

  async keep(id: string): Promise<void> {
    const key = await this.#clients.key(id);
    await this.#clients.update(
      key,
      (client) =>
        client && { value: { ...client, isUsed: true }, result: true },
    );
  }

  /** Responds to a request of a client that registers. */
  async answer(
    { dpop }: Pick<Settings, "dpop">,
    context: RequestContext,
  ): Promise<Response> {
    if (context.request.method !== "POST") {
      return json({ error: "invalid_request" }, 405, {
        Allow: "POST, OPTIONS",
      });
    }
    const { perAddress, total } = this.#limits;
    return await limited(perAddress, context, async () => {
      const parsed = parseRegistration(await readJSON(context));
      if ("error" in parsed) return json(parsed, 400);
      // A server without DPoP must not confirm that the tokens are bound.
      const needsProof = parsed.needsProof && dpop !== null;
      const registration = { ...parsed, needsProof };
      // Only valid requests count, so that others do not use up this limit.
      return await limited(total, context, () => this.#add(registration));
    });
  }

  async #add(registration: Registration): Promise<Response> {
    const id = `dcr_${randomToken(16)}`;
    const key = await this.#clients.key(id);
    const client = { ...registration, isUsed: false };
    if (!await this.#clients.add(key, client)) {
      return json({ error: "temporarily_unavailable" }, 503);
    }
    return json({
      client_id: id,
      client_id_issued_at: Math.floor(this.#now() / 1000),
      client_name: registration.name,
      redirect_uris: registration.redirectUris,
      grant_types: ["authorization_code", "refresh_token"],
      response_types: ["code"],
      token_endpoint_auth_method: "none",
      ...registration.needsProof && { dpop_bound_access_tokens: true },
    }, 201);
  }
}

/** Responds to a request within a limit. */
async function limited(
  limit: RateLimit,
  context: RequestContext,
  respond: () => Promise<Response>,
): Promise<Response> {
  // A limit always returns a response: its own, or that of the function.
  return await limit(context, respond) as Response;
}

/** Returns the JSON of a request body, or `null` if it is something else or too large. */
async function readJSON(context: RequestContext): Promise<unknown> {
  if (mediaTypeOf(context.request) !== "application/json") return null;
  const text = await readText(context, BODY);
  return typeof text === "number" ? null : parseJSON(text);
}

function json(
  body: object,
  status: number,
  extra: Readonly<Record<string, string>> = {},
): Response {
  const headers = { "Cache-Control": "no-store", ...extra };
  return Response.json(body, { status, headers });
}
