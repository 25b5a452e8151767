/** JWTs, and an API on another machine that verifies them with the keys of a server. */
import {
  createResourceServer,
  type DPoPVerifier,
} from "@gatehouse/web/auth/access-tokens";
import { Auth, auth } from "@gatehouse/web/auth-middleware";
import { createRouter, type Router } from "@gatehouse/web/fetch-router";
import { exportJWK, generateKeyPair } from "jose";
import { API, ORIGIN, type TestServer } from "../_server.ts";

/** A JSON object. */
export type JSONObject = Readonly<Record<string, unknown>>;

/** The decoded parts of a JWT. */
export interface DecodedJWT {
  readonly header: JSONObject;
  readonly claims: JSONObject;
}

/** Decodes the parts of a JWT, without verifying it. */
export function decodeJWT(token: string): DecodedJWT {
  const [header = "", claims = ""] = token.split(".");
  return { header: decodePart(header), claims: decodePart(claims) };
}

function decodePart(part: string): JSONObject {
  return JSON.parse(atob(part.replaceAll("-", "+").replaceAll("_", "/")));
}

/** Encodes an object as a part of a JWT. */
export function encodePart(object: JSONObject): string {
  return btoa(JSON.stringify(object))
    .replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

/** Generates a private key as a JWK. */
export async function generateJWK(algorithm: string): Promise<JsonWebKey> {
  const { privateKey } = await generateKeyPair(algorithm, {
    extractable: true,
  });
  return await exportJWK(privateKey);
}

/** An API on another machine. */
export interface OtherMachine {
  readonly router: Router;
  /** The paths of its requests to the server. */
  readonly requests: string[];
}

/**
 * Starts an API on another machine. It knows the issuer, and nothing else of the
 * server.
 *
 * @param dpop Verifies the proofs of bound tokens.
 */
export function startOtherMachine(
  server: TestServer,
  resource: string = API,
  dpop?: DPoPVerifier,
): OtherMachine {
  const requests: string[] = [];
  const api = createResourceServer({
    name: "Notes",
    resource,
    issuers: [{ issuer: ORIGIN }],
    verify: ({ sub }) => ({ id: sub }),
    fetch: async (url, init) => {
      requests.push(new URL(url).pathname);
      return await server.router.fetch(new Request(url, init));
    },
    onError: () => {},
    dpop,
    now: () => server.clock.now,
  });
  const router = createRouter({
    middleware: [auth({ schemes: [api.scheme] })],
  });
  const handler = (context: Parameters<typeof api.metadata>[0]) =>
    new Response(String(context.get(Auth)?.id));
  router.get("/api", {
    middleware: [api.requireScope("notes:read")],
    handler,
  });
  router.get("/files", {
    middleware: [api.requireScope("files:read")],
    handler,
  });
  return { router, requests };
}
