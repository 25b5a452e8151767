import {
  type Argon2Engine,
  argon2Engines,
  hashPassword,
  verifyPassword,
} from "@gatehouse/web/auth/password";
import { readBcrypt } from "@gatehouse/web/auth/password/bcrypt";
import {
  type Candidate,
  type Effort,
  measure,
  printTable,
} from "./_measure.ts";

/** The largest ratio of two medians that must not reveal a difference. */
const BOUND = 1.05;

const runtime = "Bun" in globalThis ? "Bun" : "Deno";

/** Measures passwords on this runtime; tells whether the bounds hold. */
export async function racePasswords(quick: boolean): Promise<boolean> {
  const engines = await argon2Engines();
  let holds = true;
  for (const engine of engines) {
    holds = await raceUsers(engine, quick) && holds;
  }
  await raceFormats(engines, quick);
  return holds;
}

/** Checks that response time does not reveal whether a user exists. */
async function raceUsers(
  engine: Argon2Engine,
  quick: boolean,
): Promise<boolean> {
  const options = { engine };
  const hash = await hashPassword("correct horse", options);
  const known = "wrong password";
  const others = {
    "right password": [hash, "correct horse"],
    "no such user": [null, "battery staple"],
    "user without a password": ["", "battery staple"],
    "broken hash": ["broken", "battery staple"],
  } as const;
  const candidates: Candidate[] = [
    { name: known, run: () => verifyPassword(hash, "battery staple", options) },
    ...Object.entries(others).map(([name, [stored, password]]) => ({
      name,
      run: () => verifyPassword(stored, password, options),
    })),
  ];
  const isSlow = engine.name === "javascript";
  const medians = await measure(candidates, effort(quick, isSlow));
  return printTable(
    `Password, equal time: Argon2id by ${engine.name} on ${runtime}`,
    inMilliseconds(medians),
    Object.keys(others).flatMap((name) => [
      { of: name, to: known, most: BOUND },
      { of: known, to: name, most: BOUND },
    ]),
    "ms",
  );
}

/** Measures other formats of the same strength. */
async function raceFormats(
  engines: readonly Argon2Engine[],
  quick: boolean,
): Promise<void> {
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
  const medians = await measure(candidates, effort(quick, true));
  const title = `Password, one on ${runtime}`;
  printTable(title, inMilliseconds(medians), [], "ms");
}

/**
 * Returns fewer turns for slow engines, which take a third of a second each.
 */
function effort(quick: boolean, isSlow: boolean): Effort {
  return { rounds: quick ? isSlow ? 5 : 15 : 41, turns: 1 };
}

function inMilliseconds(medians: Map<string, number>): Map<string, number> {
  return new Map([...medians].map(([name, time]) => [name, time / 1e6]));
}
