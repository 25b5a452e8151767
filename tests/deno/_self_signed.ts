import * as tls from "node:tls";

/** The types of Deno lack this function. */
const { getCACertificates, setDefaultCACertificates } = tls as
  & typeof tls
  & { setDefaultCACertificates(certificates: readonly string[]): void };

/** A certificate and its private key, as PEM. */
export interface SelfSigned {
  readonly cert: string;
  readonly key: string;
}

type Part = Uint8Array | readonly number[];

/** Returns a value of ASN.1 (X.690). */
function der(tag: number, ...parts: readonly Part[]): Uint8Array {
  const content = parts.flatMap((part) => [...part]);
  const { length } = content;
  const size = length < 128
    ? [length]
    : length < 256
    ? [0x81, length]
    : [0x82, length >> 8, length & 255];
  return new Uint8Array([tag, ...size, ...content]);
}

/** Returns a positive integer of ASN.1. */
function integer(bytes: Uint8Array): Uint8Array {
  const digits = [...bytes.subarray(bytes.findIndex((byte) => byte > 0))];
  return der(2, digits[0]! > 127 ? [0, ...digits] : digits);
}

const text = (tag: number, value: string) =>
  der(tag, new TextEncoder().encode(value));

/** The algorithm: ECDSA with SHA-256. */
const ALGORITHM = der(0x30, [6, 8, 42, 134, 72, 206, 61, 4, 3, 2]);

/** The name: its common name is "test". */
const NAME = der(
  0x30,
  der(0x31, der(0x30, [6, 3, 85, 4, 3], text(12, "test"))),
);

const VALIDITY = der(
  0x30,
  text(24, "20200101000000Z"),
  text(24, "21000101000000Z"),
);

/** Creates a certificate of hosts, without a program (RFC 5280, section 4.1). */
export async function createSelfSigned(
  ...hosts: readonly string[]
): Promise<SelfSigned> {
  const algorithm = { name: "ECDSA", namedCurve: "P-256", hash: "SHA-256" };
  const { privateKey, publicKey } = await crypto.subtle
    .generateKey(algorithm, true, ["sign", "verify"]);
  const [spki, pkcs8] = await Promise.all([
    crypto.subtle.exportKey("spki", publicKey),
    crypto.subtle.exportKey("pkcs8", privateKey),
  ]);
  const names = der(0x30, ...hosts.map((host) => text(0x82, host)));
  const extension = der(0x30, [6, 3, 85, 29, 17], der(4, names));
  const content = der(
    0x30,
    der(0xa0, der(2, [2])),
    ...[der(2, [1]), ALGORITHM, NAME, VALIDITY, NAME, new Uint8Array(spki)],
    der(0xa3, der(0x30, extension)),
  );
  const signature = new Uint8Array(
    await crypto.subtle.sign(algorithm, privateKey, content.slice()),
  );
  const [r, s] = [signature.subarray(0, 32), signature.subarray(32)];
  const signed = der(0x30, integer(r), integer(s));
  const cert = der(0x30, content, ALGORITHM, der(3, [0], signed));
  return {
    cert: pem("CERTIFICATE", cert),
    key: pem("PRIVATE KEY", new Uint8Array(pkcs8)),
  };
}

function pem(label: string, bytes: Uint8Array): string {
  const lines = bytes.toBase64().match(/.{1,64}/g)!.join("\n");
  return `-----BEGIN ${label}-----\n${lines}\n-----END ${label}-----\n`;
}

/** Lets `node:https` trust only a certificate until the end of a block. */
export function trustOnly({ cert }: SelfSigned): Disposable {
  const before = getCACertificates("default");
  setDefaultCACertificates([cert]);
  return { [Symbol.dispose]: () => setDefaultCACertificates(before) };
}
