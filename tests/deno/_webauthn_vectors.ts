/**
 * Reads the test vectors of the Web Authentication specification. As a program it
 * downloads them: they are not part of this repository.
 *
 * The commit is the last one of the branch of Level 3. The branch `main` contains
 * Level 4.
 */
const SOURCE =
  "https://raw.githubusercontent.com/w3c/webauthn/8bbf36383b917a0e31884e6ef12f0171b134d5dd/index.bs";

/** The file with the source of the specification. */
const FILE = Deno.env.get("WEBAUTHN_SPECIFICATION") ??
  `${Deno.env.get("TMPDIR") ?? "/tmp"}/gatehouse-webauthn.bs`;

/** The bytes of a ceremony, by their names in the specification. */
export type CeremonyVector = Readonly<Record<string, Uint8Array<ArrayBuffer>>>;

/** A registration, and a login with the same passkey. */
export interface PasskeyVector {
  readonly name: string;
  readonly registration: CeremonyVector;
  readonly authentication: CeremonyVector;
}

/** Returns the vectors, or an empty array if they were not downloaded. */
export async function readVectors(): Promise<PasskeyVector[]> {
  const text = await Deno.readTextFile(FILE).catch(() => null);
  if (text === null) {
    console.log(
      "not downloaded: the test vectors of W3C, run tests/deno/_webauthn_vectors.ts",
    );
    return [];
  }
  const sections = text.matchAll(
    /^## (.+?) ## \{#sctn-test-vectors-[^}]+\}(.+?)(?=^## )/gms,
  );
  return [...sections].flatMap(([, name = "", section = ""]) => {
    const blocks = section.matchAll(/<xmp[^>]*>(.+?)<\/xmp>/gs);
    const [registration, authentication] = [...blocks]
      .map(([, block = ""]) => parseBlock(block));
    return registration?.attestationObject && authentication?.signature
      ? [{ name, registration, authentication }]
      : [];
  });
}

/** Parses lines such as `name = h'00ff'`. */
function parseBlock(block: string): CeremonyVector {
  const lines = block.matchAll(/^(\w+) = h'([\da-f]*)'/gm);
  return Object.fromEntries(
    [...lines].map(([, name, hex = ""]) => [
      name,
      Uint8Array.from(hex.match(/../g) ?? [], (byte) => parseInt(byte, 16)),
    ]),
  );
}

if (import.meta.main) {
  const response = await fetch(SOURCE);
  if (!response.ok) throw new Error(`${SOURCE}: ${response.status}`);
  await Deno.writeTextFile(FILE, await response.text());
}
