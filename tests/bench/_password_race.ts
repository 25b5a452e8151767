import {
  argon2Engines,
  hashPassword,
  verifyPassword,
} from "@gatehouse/web/auth/password";
import { readBcrypt } from "@gatehouse/web/auth/password/bcrypt";
import { type Candidate, measure, printTable } from "./_measure.ts";

const runtime = "Bun" in globalThis ? "Bun" : "Deno";

/** Measures the engines, and other formats of the same strength. */
export async function racePasswords(quick: boolean): Promise<boolean> {
  const engines = await argon2Engines();
  const salt = "AAECAwQFBgcICQoLDA0ODw";
  const tag = "PIPyxUZFG3qvyKuJO1IjG0OlCfYrl80ivW9qxIEMHg4";
  const options = { readers: [readBcrypt] };
  const old = {
    "bcrypt, 12 rounds":
      "$2b$12$abcdefghijklmnopqrstuuPp7HPfoAs8I2dCQCQ/fW7zEJv8I8C8e",
    "scrypt, N=2^14 p=5": `$scrypt$ln=14,r=8,p=5$${salt}$${tag}`,
    "PBKDF2-SHA256, 600,000": `$pbkdf2-sha256$i=600000$${salt}$${tag}`,
  };
  const candidates: Candidate[] = [
    ...engines.map((engine) => ({
      name: `Argon2id by ${engine.name}`,
      run: () => hashPassword("x", { engine }),
    })),
    ...Object.entries(old).map(([name, hash]) => ({
      name,
      run: () => verifyPassword(hash, "x", options),
    })),
  ];
  const medians = await measure(candidates, {
    rounds: quick ? 5 : 41,
    turns: 1,
  });
  const title = `Password, one on ${runtime}`;
  return printTable(title, inMilliseconds(medians), [], "ms");
}

function inMilliseconds(medians: Map<string, number>): Map<string, number> {
  return new Map([...medians].map(([name, time]) => [name, time / 1e6]));
}
