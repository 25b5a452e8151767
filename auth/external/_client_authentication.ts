import {
  encodeBase64,
  encodeBase64Url,
  randomToken,
} from "../../session/secrets.ts";
import { ExternalAuthError } from "./errors.ts";
import type { ProviderMetadata } from "./metadata.ts";
import type { ClientAuthentication } from "./options.ts";

/** A private key that a client authenticates with (RFC 7523). */
export interface ClientPrivateKey {
  /** The key. A `CryptoKey` need not be extractable. */
  readonly key: CryptoKey | JsonWebKey;
  /**
   * The id that the provider knows its public half by.
   *
   * @default {the key's own `kid`}
   */
  readonly keyId?: string;
  /**
   * The SHA-256 thumbprint of the key's certificate in base64url, which the
   * office suite knows keys by.
   *
   * @default {undefined}
   */
  readonly certificateThumbprint?: string;
  /**
   * What to name as the assertion's audience. The issuer is right by today's
   * rules; older providers want their token endpoint.
   *
   * @default {"issuer"} for the office suite and the workforce id "token_endpoint"
   */
  readonly audience?: "issuer" | "token_endpoint";
}

/** Who the client is, and how it can prove it. */
export interface ClientRegistration {
  readonly clientId: string;
  readonly clientSecret: string | undefined;
  readonly privateKey: ClientPrivateKey | undefined;
  readonly authentication: ClientAuthentication | undefined;
  /** Whether Basic takes id and secret as they are: one provider wants that. */
  readonly rawBasic: boolean;
}

/** What a request to the provider carries to authenticate the client. */
export interface ClientProof {
  readonly headers: Readonly<Record<string, string>>;
  /** Goes into the body beside the other parameters. */
  readonly params: Readonly<Record<string, string>>;
  /** What of it must not show up in an error. */
  readonly secrets: readonly string[];
}

/** Our names for the methods, and those of the metadata. */
const METHODS: Readonly<Record<ClientAuthentication, string>> = {
  basic: "client_secret_basic",
  post: "client_secret_post",
  none: "none",
  "private_key_jwt": "private_key_jwt",
};

/** Seconds that an assertion is good for. */
const ASSERTION_LIFETIME = 60;

/**
 * Proves who the client is: as it is configured to, else in the first way that
 * the provider offers (OpenID Connect Core 1.0, section 9).
 *
 * @throws {ExternalAuthError} If the provider offers no way that it has.
 */
export async function proveClient(
  client: ClientRegistration,
  metadata: ProviderMetadata,
  now: number,
): Promise<ClientProof> {
  const { clientId, clientSecret = "" } = client;
  const secrets = [clientSecret];
  switch (client.authentication ?? chooseMethod(client, metadata)) {
    case "basic": {
      const pair = client.rawBasic
        ? `${clientId}:${clientSecret}`
        : `${formEncode(clientId)}:${formEncode(clientSecret)}`;
      const basic = encodeBase64(new TextEncoder().encode(pair));
      return {
        headers: { Authorization: `Basic ${basic}` },
        params: {},
        secrets: [...secrets, basic],
      };
    }
    case "post":
      return {
        headers: {},
        params: { client_id: clientId, client_secret: clientSecret },
        secrets,
      };
    case "private_key_jwt":
      return await proveByKey(client, metadata, now);
    case "none":
      return { headers: {}, params: { client_id: clientId }, secrets };
  }
}

function chooseMethod(
  { clientSecret, privateKey }: ClientRegistration,
  metadata: ProviderMetadata,
): ClientAuthentication {
  const possible: ClientAuthentication[] = privateKey !== undefined
    ? ["private_key_jwt"]
    : clientSecret !== undefined
    ? ["basic", "post"]
    : ["none"];
  // Absent means Basic (Discovery 1.0, section 3; RFC 8414, section 2).
  const offered = metadata.token_endpoint_auth_methods_supported ??
    [METHODS.basic];
  const chosen = possible.find((method) => offered.includes(METHODS[method]));
  if (chosen !== undefined) return chosen;
  throw new ExternalAuthError(
    "client_authentication_unsupported",
    `Cannot authenticate the client to "${metadata.issuer}": it offers none of ${
      possible.map((method) => METHODS[method]).join(", ")
    }`,
  );
}

/** As forms encode it, which leaves - _ . * alone (RFC 6749, section 2.3.1). */
function formEncode(text: string): string {
  return new URLSearchParams([["", text]]).toString().slice(1);
}

async function proveByKey(
  { clientId, privateKey }: ClientRegistration,
  metadata: ProviderMetadata,
  now: number,
): Promise<ClientProof> {
  const { audience } = privateKey!;
  const seconds = Math.floor(now / 1000);
  const assertion = await signAssertion(privateKey!, {
    iss: clientId,
    sub: clientId,
    aud: audience === "token_endpoint"
      ? metadata.token_endpoint
      : metadata.issuer,
    jti: randomToken(),
    iat: seconds,
    exp: seconds + ASSERTION_LIFETIME,
  });
  return {
    headers: {},
    params: {
      client_id: clientId,
      client_assertion_type:
        "urn:ietf:params:oauth:client-assertion-type:jwt-bearer",
      client_assertion: assertion,
    },
    secrets: [assertion],
  };
}

/** How a key signs: the name in the header, and the parameters of Web Crypto. */
interface Signing {
  readonly alg: string;
  readonly algorithm: Readonly<Record<string, string | number>>;
}

const SIGNINGS: Readonly<Record<string, Signing>> = {
  RS256: {
    alg: "RS256",
    algorithm: { name: "RSASSA-PKCS1-v1_5", hash: "SHA-256" },
  },
  PS256: {
    alg: "PS256",
    algorithm: { name: "RSA-PSS", hash: "SHA-256", saltLength: 32 },
  },
  ES256: {
    alg: "ES256",
    algorithm: { name: "ECDSA", namedCurve: "P-256", hash: "SHA-256" },
  },
  EdDSA: { alg: "EdDSA", algorithm: { name: "Ed25519" } },
};

/** The algorithm that a key signs with; `undefined` where it can't here. */
export function signingOf(key: CryptoKey | JsonWebKey): string | undefined {
  if (key instanceof CryptoKey) {
    const { name, hash, namedCurve } = key.algorithm as {
      name: string;
      hash?: { name: string };
      namedCurve?: string;
    };
    if (key.type !== "private" || !key.usages.includes("sign")) {
      return undefined;
    }
    return Object.keys(SIGNINGS).find((alg) => {
      const { algorithm } = SIGNINGS[alg];
      return algorithm.name === name &&
        (hash === undefined || algorithm.hash === hash.name) &&
        algorithm.namedCurve === namedCurve;
    });
  }
  const { alg, crv, d, kty } = key;
  if (typeof d !== "string") return undefined;
  if (kty === "RSA") return alg === "PS256" ? "PS256" : "RS256";
  if (kty === "EC" && crv === "P-256") return "ES256";
  if (kty === "OKP" && crv === "Ed25519") return "EdDSA";
}

async function signAssertion(
  { certificateThumbprint, key, keyId }: ClientPrivateKey,
  claims: Readonly<Record<string, string | number>>,
): Promise<string> {
  const { alg, algorithm } = SIGNINGS[signingOf(key)!];
  const kid = keyId ??
    (key instanceof CryptoKey ? undefined : (key as { kid?: string }).kid);
  const header = {
    alg,
    typ: "JWT",
    kid,
    "x5t#S256": certificateThumbprint,
  };
  const signed = `${encodeJSON(header)}.${encodeJSON(claims)}`;
  const signature = await crypto.subtle.sign(
    algorithm as unknown as AlgorithmIdentifier,
    key instanceof CryptoKey ? key : await importKey(key, algorithm),
    new TextEncoder().encode(signed),
  );
  return `${signed}.${encodeBase64Url(new Uint8Array(signature))}`;
}

/** Imported keys, by the object that they came as. */
const imported = /* @__PURE__ */ new WeakMap<JsonWebKey, Promise<CryptoKey>>();

function importKey(
  key: JsonWebKey,
  algorithm: Signing["algorithm"],
): Promise<CryptoKey> {
  let promise = imported.get(key);
  if (promise === undefined) {
    // workerd refuses "Ed25519" as alg: what the key is for stands in algorithm.
    const { alg: _alg, use: _use, key_ops: _operations, ...rest } = key;
    promise = crypto.subtle.importKey(
      "jwk",
      rest,
      algorithm as unknown as AlgorithmIdentifier,
      false,
      ["sign"],
    ).catch((cause) => {
      throw new TypeError(
        "Cannot authenticate the client: privateKey is malformed",
        { cause },
      );
    });
    imported.set(key, promise);
  }
  return promise;
}

function encodeJSON(value: unknown): string {
  return encodeBase64Url(new TextEncoder().encode(JSON.stringify(value)));
}
