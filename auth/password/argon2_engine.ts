import { encodeHex } from "../../session/secrets.ts";

/** The inputs of Argon2 (RFC 9106, section 3.1). */
export interface Argon2Inputs {
  /** The variant. New hashes are always `argon2id`. */
  readonly variant: "argon2d" | "argon2i" | "argon2id";
  /** The message P: the bytes of the password. */
  readonly password: Uint8Array<ArrayBuffer>;
  /** The nonce S. */
  readonly salt: Uint8Array<ArrayBuffer>;
  /** The secret K: the pepper. */
  readonly secret?: Uint8Array<ArrayBuffer>;
  /** The associated data X. */
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
 * {@linkcode argon2Engines} finds the engines of the runtime. Implement this
 * interface to use another one, such as a WebAssembly module or a service.
 *
 * Trust: the result of `derive` decides if a password is correct.
 */
export interface Argon2Engine {
  /** The name of the engine in a benchmark or a log. */
  readonly name: string;

  /**
   * Computes the tag.
   *
   * @param inputs The password, the salt and the parameters.
   * @returns The tag, with `tagLength` bytes.
   */
  derive(inputs: Argon2Inputs): Promise<Uint8Array>;
}

/** The test vector of RFC 9106, section 5.3. */
const KNOWN: Argon2Inputs = /* @__PURE__ */ (() => ({
  variant: "argon2id",
  password: new Uint8Array(32).fill(1),
  salt: new Uint8Array(16).fill(2),
  secret: new Uint8Array(8).fill(3),
  associatedData: new Uint8Array(12).fill(4),
  memory: 32,
  passes: 3,
  parallelism: 4,
  tagLength: 32,
}))();
const KNOWN_TAG =
  "0d640df58d78766c08c037a34a8b53c9d01ef0452d75b65eb52520e96b01e659";

let found: Promise<readonly Argon2Engine[]> | undefined;

/**
 * Returns the Argon2 engines of this runtime, starting with the fastest.
 *
 * The native engine comes first: it is the built-in crypto module, or
 * `crypto.subtle` if that module has no Argon2. The JavaScript engine is always
 * last. A native engine must compute the test vector of RFC 9106. If a runtime
 * breaks it, logins become slower but still work.
 *
 * @example Finding the last resort
 * ```ts
 * import { assertEquals } from "@std/assert";
 * import { argon2Engines } from "@gatehouse/web/auth/password";
 *
 * const engines = await argon2Engines();
 * assertEquals(engines.at(-1)?.name, "javascript");
 * ```
 *
 * @returns The engines. The first one hashes passwords.
 * @see {@link https://www.rfc-editor.org/rfc/rfc9106#section-5 | RFC 9106, test vectors}
 */
export function argon2Engines(): Promise<readonly Argon2Engine[]> {
  return found ??= findEngines();
}

async function findEngines(): Promise<readonly Argon2Engine[]> {
  // One native engine is enough. On Node, a check of `crypto.subtle` prints
  // warnings.
  for (const createEngine of [nodeEngine, subtleEngine]) {
    const engine = createEngine();
    if (engine !== null && await isRight(engine)) {
      return [engine, javaScriptEngine];
    }
  }
  return [javaScriptEngine];
}

async function isRight(engine: Argon2Engine): Promise<boolean> {
  try {
    return encodeHex(await engine.derive(KNOWN)) === KNOWN_TAG;
  } catch {
    return false;
  }
}

/** The names of the variants in Web Crypto. */
const WEB_NAMES = {
  argon2d: "Argon2d",
  argon2i: "Argon2i",
  argon2id: "Argon2id",
} as const;

function subtleEngine(): Argon2Engine | null {
  // TypeScript does not declare this static method yet.
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
  // A member that is `undefined` differs from a missing one.
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

/** The part of the built-in crypto module that is used. */
interface NodeCrypto {
  argon2?(
    variant: string,
    parameters: Record<string, unknown>,
    callback: (error: unknown, tag: Uint8Array) => void,
  ): void;
}

function nodeEngine(): Argon2Engine | null {
  // The modules are detected, never imported, because Workers have neither.
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
    // The module is loaded at its first use, because a native engine makes it
    // superfluous.
    const { deriveArgon2 } = await import("./_noble_hashes.ts");
    return await deriveArgon2(inputs);
  },
};
