import { readText } from "../../router/internal.ts";
import type { RequestContext } from "../../router/mod.ts";
import { decodeBase64Url } from "../../session/secrets.ts";

/** The maximum size of a JSON body, in bytes. */
const MAX_BYTES = 65_536;

/** Milliseconds until reading a body times out. */
const TIMEOUT = 10_000;

/** The maximum length of a credential id: 1,023 bytes (section 7.1, step 25). */
const MAX_ID_LENGTH = 1364;

/** The form field that contains the response as JSON. */
const FIELD = "passkey";

/** A response of the browser. Only its outer form has been checked. */
export interface PasskeyResponse {
  /** The credential id. */
  readonly id: string;
  /** The members of `response`. */
  readonly members: Readonly<Record<string, unknown>>;
}

/**
 * Reads the response from the field of a form that the form-data middleware read,
 * or from a JSON body.
 *
 * @returns The JSON, or `null` if it is missing or too large.
 */
export async function readResponse(
  context: RequestContext,
): Promise<string | null> {
  if (context.has(FormData)) {
    const value = context.get(FormData).get(FIELD);
    return typeof value === "string" && value !== "" ? value : null;
  }
  const limits = { maxBytes: MAX_BYTES, timeout: TIMEOUT };
  const text = await readText(context, limits);
  return typeof text === "number" || text === "" ? null : text;
}

/** Parses a response. Returns `null` if it is malformed. */
export function parseResponse(json: string): PasskeyResponse | null {
  if (json.length > MAX_BYTES) return null;
  let value;
  try {
    value = JSON.parse(json);
  } catch {
    return null;
  }
  const { id, rawId = id, type, response: members } = value ?? {};
  const isCredential = type === "public-key" && typeof id === "string" &&
    rawId === id && id !== "" &&
    id.length <= MAX_ID_LENGTH && decodeBase64Url(id) !== null;
  if (!isCredential || typeof members !== "object" || members === null) {
    return null;
  }
  return { id, members };
}

/** Decodes members of a response. Returns `null` if one is not base64url. */
export function decodeMembers<Name extends string>(
  { members }: PasskeyResponse,
  names: readonly Name[],
): Record<Name, Uint8Array<ArrayBuffer>> | null {
  const decoded = {} as Record<Name, Uint8Array<ArrayBuffer>>;
  for (const name of names) {
    const value = members[name];
    const bytes = typeof value === "string" ? decodeBase64Url(value) : null;
    if (bytes === null) return null;
    decoded[name] = bytes;
  }
  return decoded;
}
