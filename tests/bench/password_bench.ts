/**
 * Passwords: whether a user who does not exist takes as long as one who does
 * (bound: the medians within 5 %), and what each engine and old format costs.
 */
import {
  type Argon2Engine,
  argon2Engines,
  hashPassword,
  verifyPassword,
} from "@gatehouse/web/auth/password";
import { readBcrypt } from "@gatehouse/web/auth/password/bcrypt";

/** How far the ratio of two medians may be from 1. */
const BOUND = 0.05;
/** What fails the gate, on machines that do other things as well. */
const TOLERANCE = 1.5;

interface Cell {
  readonly name: string;
  readonly run: () => Promise<unknown>;
  readonly samples: number[];
}

const quick = Deno.args.includes("--quick");
const ROUNDS = quick ? 11 : 41;

let worst = 0;
const engines = await argon2Engines();
for (const engine of engines) worst = Math.max(worst, await compare(engine));
await costs(engines);
console.log(
  `\nequal time: worst ratio ${(1 + worst).toFixed(3)}, bound ${1 + BOUND}`,
);
if (worst > BOUND * TOLERANCE) Deno.exit(1);

/** How far the time without a user is from the time with one, at worst. */
async function compare(engine: Argon2Engine): Promise<number> {
  const options = { engine };
  const hash = await hashPassword("correct horse", options);
  const cells = [
    ["wrong password", hash, "battery staple"],
    ["right password", hash, "correct horse"],
    ["no such user", null, "battery staple"],
    ["user without a password", "", "battery staple"],
    ["broken hash", "broken", "battery staple"],
  ].map(([name, stored, password]) =>
    cell(name!, () => verifyPassword(stored, password!, options))
  );
  await measure(cells);
  report(`Argon2id by ${engine.name}`, cells);
  const [first, ...others] = cells.map(({ samples }) => median(samples));
  return Math.max(...others.map((time) => Math.abs(time / first! - 1)));
}

/** The same strength in other ways. */
async function costs(engines: readonly Argon2Engine[]): Promise<void> {
  const salt = "AAECAwQFBgcICQoLDA0ODw";
  const tag = "PIPyxUZFG3qvyKuJO1IjG0OlCfYrl80ivW9qxIEMHg4";
  const options = { readers: [readBcrypt] };
  const old = {
    "bcrypt, 12 rounds":
      "$2b$12$abcdefghijklmnopqrstuuPp7HPfoAs8I2dCQCQ/fW7zEJv8I8C8e",
    "scrypt, N=2^14 p=5": `$scrypt$ln=14,r=8,p=5$${salt}$${tag}`,
    "PBKDF2-SHA256, 600,000": `$pbkdf2-sha256$i=600000$${salt}$${tag}`,
  };
  const cells = [
    ...engines.map((engine) =>
      cell(`Argon2id by ${engine.name}`, () => hashPassword("x", { engine }))
    ),
    ...Object.entries(old).map(([name, hash]) =>
      cell(name, () => verifyPassword(hash, "x", options))
    ),
  ];
  await measure(cells);
  report("One password", cells);
}

function cell(name: string, run: () => Promise<unknown>): Cell {
  return { name, run, samples: [] };
}

/** Runs the cells in turn, so that whatever else happens hits all of them. */
async function measure(cells: readonly Cell[]): Promise<void> {
  for (const { run } of cells) await run();
  for (let round = 0; round < ROUNDS; round++) {
    for (let index = 0; index < cells.length; index++) {
      const { run, samples } = cells[(index + round) % cells.length]!;
      const start = performance.now();
      await run();
      samples.push(performance.now() - start);
    }
  }
}

function report(title: string, cells: readonly Cell[]): void {
  console.log(`\n${title.padEnd(28)}median      ratio`);
  const first = median(cells[0]!.samples);
  for (const { name, samples } of cells) {
    const time = median(samples);
    const milliseconds = `${time.toFixed(2)} ms`.padEnd(12);
    console.log(name.padEnd(28) + milliseconds + (time / first).toFixed(3));
  }
}

function median(samples: readonly number[]): number {
  return samples.toSorted((a, b) => a - b)[samples.length >> 1]!;
}
