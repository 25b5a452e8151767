import { encodeHex } from "../../session/secrets.ts";
import { decodeCBORPrefix } from "./_cbor.ts";

/** The new credential in the authenticator data of a registration. */
export interface AttestedCredential {
  /** The model of the authenticator, a UUID. */
  readonly aaguid: string;
  readonly id: Uint8Array<ArrayBuffer>;
  /** The public key in the COSE format. */
  readonly publicKey: Uint8Array<ArrayBuffer>;
}

/** The data that an authenticator signs. */
export interface AuthenticatorData {
  readonly rpIdHash: Uint8Array<ArrayBuffer>;
  /** The user was present (UP). */
  readonly isUserPresent: boolean;
  /** The user entered a PIN or used biometrics (UV). */
  readonly isUserVerified: boolean;
  /** The passkey can be synced (BE). */
  readonly backupEligible: boolean;
  /** The passkey is synced (BS). */
  readonly backedUp: boolean;
  readonly counter: number;
  /** The new credential, or `null` in a login. */
  readonly credential: AttestedCredential | null;
}

/** The bits of the flags. */
const FLAG = { up: 1, uv: 4, be: 8, bs: 16, at: 64, ed: 128 };

/** The length of the RP ID hash, the flags and the counter, in bytes. */
const HEAD_BYTES = 37;

/**
 * Parses authenticator data. Returns `null` if it is malformed or has trailing
 * bytes.
 *
 * @see {@link https://www.w3.org/TR/webauthn-3/#sctn-authenticator-data | Web Authentication Level 3, section 6.1}
 */
export function parseAuthenticatorData(
  bytes: Uint8Array<ArrayBuffer>,
): AuthenticatorData | null {
  if (bytes.length < HEAD_BYTES) return null;
  const flags = bytes[32]!;
  let rest = bytes.subarray(HEAD_BYTES);
  let credential: AttestedCredential | null = null;
  if (flags & FLAG.at) {
    const attested = readCredential(rest);
    if (attested === null) return null;
    ({ credential, rest } = attested);
  }
  if (flags & FLAG.ed) {
    const extensions = decodeCBORPrefix(rest);
    if (!(extensions?.value instanceof Map)) return null;
    rest = rest.subarray(extensions.length);
  }
  if (rest.length > 0) return null;
  return {
    rpIdHash: bytes.subarray(0, 32),
    isUserPresent: (flags & FLAG.up) !== 0,
    isUserVerified: (flags & FLAG.uv) !== 0,
    backupEligible: (flags & FLAG.be) !== 0,
    backedUp: (flags & FLAG.bs) !== 0,
    counter: new DataView(bytes.buffer, bytes.byteOffset).getUint32(33),
    credential,
  };
}

/** Reads the attested credential data (section 6.5.1). */
function readCredential(bytes: Uint8Array<ArrayBuffer>) {
  if (bytes.length < 18) return null;
  const end = 18 + (bytes[16]! << 8 | bytes[17]!);
  const key = decodeCBORPrefix(bytes.subarray(end));
  if (key === null) return null;
  const credential: AttestedCredential = {
    aaguid: toUUID(bytes.subarray(0, 16)),
    id: bytes.subarray(18, end),
    publicKey: bytes.subarray(end, end + key.length),
  };
  return { credential, rest: bytes.subarray(end + key.length) };
}

function toUUID(bytes: Uint8Array): string {
  return encodeHex(bytes)
    .replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5");
}
