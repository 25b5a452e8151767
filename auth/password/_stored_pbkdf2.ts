import { timingSafeEqual } from "../../session/secrets.ts";
import type { Pbkdf2Inputs } from "./_noble_hashes.ts";
import type { PasswordReader } from "./options.ts";
import { isWithin, parseDecimal, parsePhcString } from "./_phc_string.ts";

/**
 * The maximum number of iterations: over three times the recommended number.
 */
const MAX_ITERATIONS = 2_000_000;

const HASHES = /* @__PURE__ */ new Map<string, Pbkdf2Inputs["hash"]>([
  ["pbkdf2-sha256", "SHA-256"],
  ["pbkdf2-sha512", "SHA-512"],
]);

/**
 * Reads PBKDF2, as `$pbkdf2-sha256$i=600000,l=32$salt$hash`, or in the older
 * form `$pbkdf2-sha256$600000$salt$hash`, whose base64 has `.` instead of `+`.
 */
export const readPbkdf2: PasswordReader = (stored) => {
  const phc = parsePhcString(modernize(stored));
  if (phc === null || phc.version !== null) return null;
  const { id, parameters, salt, hash: expected } = phc;
  const hash = HASHES.get(id);
  if (hash === undefined) return null;
  if (!/^i(,l)?$/.test([...parameters.keys()].join())) return null;

  const iterations = parseDecimal(parameters.get("i"));
  if (!isWithin(iterations, 1, MAX_ITERATIONS)) return null;
  if (!isWithin(salt.length, 8, 64)) return null;
  if (!isWithin(expected.length, 16, 64)) return null;
  const length = parameters.get("l");
  if (length !== undefined && parseDecimal(length) !== expected.length) {
    return null;
  }

  return async (password) =>
    timingSafeEqual(
      await derive({
        password: new TextEncoder().encode(password),
        salt,
        hash,
        iterations,
        length: expected.length,
      }),
      expected,
    );
};

function modernize(stored: string): string {
  const [, start, iterations, rest] =
    /^(\$pbkdf2-sha(?:256|512)\$)([0-9]{1,10})(\$.*)$/.exec(stored) ?? [];
  return rest === undefined
    ? stored
    : `${start}i=${iterations}${rest.replaceAll(".", "+")}`;
}

async function derive(inputs: Pbkdf2Inputs): Promise<Uint8Array> {
  const { password, salt, hash, iterations, length } = inputs;
  try {
    const key = await crypto.subtle.importKey(
      "raw",
      password,
      "PBKDF2",
      false,
      ["deriveBits"],
    );
    const algorithm = { name: "PBKDF2", hash, salt, iterations };
    return new Uint8Array(
      await crypto.subtle.deriveBits(algorithm, key, length * 8),
    );
  } catch {
    // Workers refuse more than 100,000 iterations.
    const { derivePbkdf2 } = await import("./_noble_hashes.ts");
    return await derivePbkdf2(inputs);
  }
}
