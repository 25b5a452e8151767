import { encodeBase64, randomToken } from "../../session/secrets.ts";
import {
  type ClientMetadata,
  ExternalAuthError,
  signJWT,
} from "../issuer/mod.ts";
import type { ClientAuthentication } from "./options.ts";

/** A private key that authenticates a client (RFC 7523). */
export interface ClientPrivateKey {
  /**
   * The key, for RS256 or PS256 (2,048 bits or more), ES256 or EdDSA. A
   * `CryptoKey` may be non-extractable.
   */
  readonly key: CryptoKey | JsonWebKey;
  /**
   * The provider's id of the public key.
   *
   * @default {the key's `kid`}
   */
  readonly keyId?: string;
  /**
   * The SHA-256 thumbprint of the key's certificate in base64url. The office
   * suite identifies keys by it.
   *
   * @default {undefined}
   */
  readonly certificateThumbprint?: string;
  /**
   * The audience of the assertion. Current standards require the issuer; older
   * providers expect their token endpoint.
   *
   * @default {"issuer"; "token_endpoint" for the office suite and the workforce id}
   */
  readonly audience?: "issuer" | "token_endpoint" | undefined;
}

/** The registration of a client at a provider. */
export interface ClientRegistration {
  readonly clientId: string;
  readonly clientSecret: string | undefined;
  readonly privateKey: ClientPrivateKey | undefined;
  readonly authentication: ClientAuthentication | undefined;
  /** `true` if Basic authentication does not encode id and secret, as at X. */
  readonly rawBasic: boolean;
}

/** The credentials of a client in a request. */
export interface ClientCredentials {
  readonly headers: Readonly<Record<string, string>>;
  /** Parameters of the form. */
  readonly params: Readonly<Record<string, string>>;
  /** The values that error messages must not contain. */
  readonly secrets: readonly string[];
}

/** The names of the methods in metadata. */
const METHODS: Readonly<Record<ClientAuthentication, string>> = {
  basic: "client_secret_basic",
  post: "client_secret_post",
  none: "none",
  "private_key_jwt": "private_key_jwt",
};

/** Seconds until an assertion expires. */
const ASSERTION_LIFETIME = 60;

/**
 * Creates the credentials of a client, with the configured method or the first
 * one that the provider supports (OpenID Connect Core 1.0, section 9).
 *
 * @throws {ExternalAuthError} If the provider supports no possible method.
 */
export async function authenticateClient(
  client: ClientRegistration,
  metadata: ClientMetadata,
  now: number,
): Promise<ClientCredentials> {
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
      return await createAssertion(client, metadata, now);
    case "none":
      return { headers: {}, params: { client_id: clientId }, secrets };
  }
}

function chooseMethod(
  { clientSecret, privateKey }: ClientRegistration,
  metadata: ClientMetadata,
): ClientAuthentication {
  const possible: ClientAuthentication[] = privateKey !== undefined
    ? ["private_key_jwt"]
    : clientSecret !== undefined
    ? ["basic", "post"]
    : ["none"];
  // The default method is Basic (Discovery 1.0, section 3; RFC 8414, section
  // 2).
  const supported = metadata.token_endpoint_auth_methods_supported ??
    [METHODS.basic];
  const chosen = possible.find((method) => supported.includes(METHODS[method]));
  if (chosen !== undefined) return chosen;
  throw new ExternalAuthError(
    "client_authentication_unsupported",
    `Cannot authenticate the client to "${metadata.issuer}": it does not support ${
      possible.map((method) => METHODS[method]).join(" or ")
    }`,
  );
}

/** Encodes like a form, which leaves - _ . * as is (RFC 6749, section 2.3.1). */
function formEncode(value: string): string {
  return new URLSearchParams([["", value]]).toString().slice(1);
}

async function createAssertion(
  { clientId, privateKey }: ClientRegistration,
  { issuer, token_endpoint }: ClientMetadata,
  now: number,
): Promise<ClientCredentials> {
  const { audience, certificateThumbprint, key } = privateKey!;
  const seconds = Math.floor(now / 1000);
  const claims = {
    iss: clientId,
    sub: clientId,
    aud: audience === "token_endpoint" ? token_endpoint : issuer,
    jti: randomToken(),
    iat: seconds,
    exp: seconds + ASSERTION_LIFETIME,
  };
  const header = {
    alg: signingAlgorithmOf(key)!,
    typ: "JWT",
    kid: privateKey!.keyId ?? (key as { readonly kid?: string }).kid,
    "x5t#S256": certificateThumbprint,
  };
  const assertion = await signJWT(claims, header, key).catch((cause) => {
    throw new TypeError(
      "Cannot authenticate the client: privateKey is malformed",
      { cause },
    );
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

/** The algorithms of keys by type and curve, or by name and curve or hash. */
const ALGORITHMS: Readonly<Record<string, string>> = {
  "RSA": "RS256",
  "EC P-256": "ES256",
  "OKP Ed25519": "EdDSA",
  "RSASSA-PKCS1-v1_5 SHA-256": "RS256",
  "RSA-PSS SHA-256": "PS256",
  "ECDSA P-256": "ES256",
  "Ed25519": "EdDSA",
};

/** The length of a modulus of 2,048 bits in base64url. jose requires 2,048. */
const MIN_MODULUS_LENGTH = 342;

/** Returns the algorithm of a private key, or `undefined` if it cannot sign. */
export function signingAlgorithmOf(
  key: CryptoKey | JsonWebKey,
): string | undefined {
  const isCryptoKey = key instanceof CryptoKey;
  const names = isCryptoKey ? namesOfCryptoKey(key) : namesOfJWK(key);
  const name = names.filter((name) => name !== undefined).join(" ");
  if (!Object.hasOwn(ALGORITHMS, name)) return undefined;
  const isPSS = name === "RSA" && !isCryptoKey && key.alg === "PS256";
  return isPSS ? "PS256" : ALGORITHMS[name];
}

function namesOfCryptoKey(key: CryptoKey): (string | undefined)[] {
  const { name, hash, modulusLength = 2048, namedCurve } = key.algorithm as {
    readonly name: string;
    readonly hash?: { readonly name: string };
    readonly modulusLength?: number;
    readonly namedCurve?: string;
  };
  const canSign = key.type === "private" && key.usages.includes("sign") &&
    modulusLength >= 2048;
  return canSign ? [name, namedCurve ?? hash?.name] : [];
}

function namesOfJWK({ crv, d, kty, n }: JsonWebKey): (string | undefined)[] {
  const canSign = typeof d === "string" &&
    (kty !== "RSA" || String(n).length >= MIN_MODULUS_LENGTH);
  return canSign ? [kty, crv] : [];
}
