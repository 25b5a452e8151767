import { encodeHex } from "../../session/secrets.ts";

/** What {@linkcode Argon2Engine.derive} computes: the inputs of RFC 9106, section 3.1. */
export interface Argon2Inputs {
  /** The variant. New hashes are always `argon2id`. */
  readonly variant: "argon2d" | "argon2i" | "argon2id";
  /** The message P: the bytes of the password. */
  readonly password: Uint8Array<ArrayBuffer>;
  /** The nonce S. */
  readonly salt: Uint8Array<ArrayBuffer>;
  /** The secret K: the pepper, or nothing. */
  readonly secret?: Uint8Array<ArrayBuffer>;
  /** The associated data X, or nothing. */
  readonly associatedData?: Uint8Array<ArrayBuffer>;
  /** The memory m, in KiB. */
  readonly memory: number;
  /** The passes t over the memory. */
  readonly passes: number;
  /** The lanes p. */
  readonly parallelism: number;
  /** The length T of the tag, in bytes. */
  readonly tagLength: number;
}

/**
 * Computes Argon2, version 0x13.
 *
 * The runtime's own are found by {@linkcode argon2Engines}. Write one to use
 * another: a precompiled WebAssembly module, or a service that hashes.
 *
 * Trust: what `derive` gives back decides who is let in.
 */
export interface Argon2Engine {
  /** The name of the engine in a benchmark or a log. */
  readonly name: string;

  /**
   * Computes the tag.
   *
   * @param inputs What to compute it from.
   * @returns As many bytes as `tagLength` says.
   */
  derive(inputs: Argon2Inputs): Promise<Uint8Array>;
}

/** The test vector of RFC 9106, section 5.3. */
const KNOWN: Argon2Inputs = {
  variant: "argon2id",
  password: new Uint8Array(32).fill(1),
  salt: new Uint8Array(16).fill(2),
  secret: new Uint8Array(8).fill(3),
  associatedData: new Uint8Array(12).fill(4),
  memory: 32,
  passes: 3,
  parallelism: 4,
  tagLength: 32,
};
const KNOWN_TAG =
  "0d640df58d78766c08c037a34a8b53c9d01ef0452d75b65eb52520e96b01e659";

let found: Promise<readonly Argon2Engine[]> | undefined;

/**
 * Lists the Argon2 engines that this runtime has, the fastest first.
 *
 * Native ones come first: `crypto.subtle`, then the built-in crypto module;
 * last, on every runtime, the one in JavaScript. A native engine is listed only
 * after it computed the test vector of RFC 9106, so one that a runtime changed
 * or broke costs time and not the logins.
 *
 * @example Seeing which one hashes
 * ```ts
 * import { assertEquals } from "@std/assert";
 * import { argon2Engines } from "@gatehouse/web/auth/password";
 *
 * const engines = await argon2Engines();
 * assertEquals(engines.at(-1)?.name, "javascript");
 * ```
 *
 * @returns The engines. Passwords are hashed by the first.
 * @see {@link https://www.rfc-editor.org/rfc/rfc9106#section-5 | RFC 9106, test vectors}
 */
export function argon2Engines(): Promise<readonly Argon2Engine[]> {
  return found ??= findEngines();
}

async function findEngines(): Promise<readonly Argon2Engine[]> {
  const engines: Argon2Engine[] = [];
  for (const engine of [subtleEngine(), nodeEngine()]) {
    if (engine !== null && await isRight(engine)) engines.push(engine);
  }
  return [...engines, javaScriptEngine];
}

async function isRight(engine: Argon2Engine): Promise<boolean> {
  try {
    return encodeHex(await engine.derive(KNOWN)) === KNOWN_TAG;
  } catch {
    return false;
  }
}

/** The names that the web's crypto gives to the variants. */
const WEB_NAMES = {
  argon2d: "Argon2d",
  argon2i: "Argon2i",
  argon2id: "Argon2id",
} as const;

function subtleEngine(): Argon2Engine | null {
  // TypeScript's library does not know this static yet.
  const { supports } = SubtleCrypto as {
    supports?(operation: string, algorithm: string): boolean;
  };
  if (typeof supports !== "function") return null;
  if (!supports.call(SubtleCrypto, "importKey", "Argon2id")) return null;
  return { name: "subtle", derive: deriveWithSubtle };
}

async function deriveWithSubtle(inputs: Argon2Inputs): Promise<Uint8Array> {
  const { secret, associatedData } = inputs;
  const name = WEB_NAMES[inputs.variant];
  const key = await crypto.subtle.importKey(
    "raw-secret" as "raw",
    inputs.password,
    name,
    false,
    ["deriveBits"],
  );
  // A member that is present and undefined is not the same as an absent one.
  const algorithm = {
    name,
    nonce: inputs.salt,
    memory: inputs.memory,
    passes: inputs.passes,
    parallelism: inputs.parallelism,
    ...(secret && { secretValue: secret }),
    ...(associatedData && { associatedData }),
  };
  return new Uint8Array(
    await crypto.subtle.deriveBits(algorithm, key, inputs.tagLength * 8),
  );
}

/** The part of the built-in crypto module in use. */
interface NodeCrypto {
  argon2?(
    variant: string,
    parameters: Record<string, unknown>,
    callback: (error: unknown, tag: Uint8Array) => void,
  ): void;
}

function nodeEngine(): Argon2Engine | null {
  // Asked for by feature, never imported: Workers have neither.
  const { process } = globalThis as {
    process?: { getBuiltinModule?(name: string): unknown };
  };
  const node = process?.getBuiltinModule?.("node:crypto") as
    | NodeCrypto
    | undefined;
  if (typeof node?.argon2 !== "function") return null;
  return { name: "node", derive: (inputs) => deriveWithNode(node, inputs) };
}

function deriveWithNode(
  node: NodeCrypto,
  inputs: Argon2Inputs,
): Promise<Uint8Array> {
  const { secret, associatedData } = inputs;
  const parameters = {
    message: inputs.password,
    nonce: inputs.salt,
    memory: inputs.memory,
    passes: inputs.passes,
    parallelism: inputs.parallelism,
    tagLength: inputs.tagLength,
    ...(secret && { secret }),
    ...(associatedData && { associatedData }),
  };
  return new Promise((resolve, reject) => {
    node.argon2!(inputs.variant, parameters, (error, tag) => {
      if (error) reject(error);
      else resolve(tag);
    });
  });
}

const javaScriptEngine: Argon2Engine = {
  name: "javascript",
  async derive(inputs) {
    // Loaded at first use: where a native engine exists it is never needed.
    const { deriveArgon2 } = await import("./_noble_hashes.ts");
    return await deriveArgon2(inputs);
  },
};
