/** A copy of the project, in which sources may change. */
export interface Tree {
  readonly path: string;
  /** Reads a file. */
  read(file: string): Promise<string>;
  /** Replaces a file. */
  write(file: string, text: string): Promise<void>;
}

/** The result of a test run. */
export interface TestRun {
  readonly result: "passed" | "failed" | "timed out";
  readonly output: string;
}

/** The limits of a test run, in seconds. */
export interface Limits {
  /** Of processor time, which a busy machine does not change. */
  readonly cpu: number;
  readonly wall: number;
}

const ROOT = new URL("../../", import.meta.url);

/** The folders of the library, which have tests that run on all runtimes. */
export const FOLDERS = [
  "accounts",
  "auth",
  "logger",
  "oauth_server",
  "router",
  "schema",
  "session",
];

/**
 * The tests that run: these, the contracts of stores on real ones, and those of
 * accounts and of the authorization server with real packages and sockets.
 */
export const TESTS = [
  ...FOLDERS.map((folder) => `tests/${folder}`),
  "tests/deno/account_passkey_store_test.ts",
  "tests/deno/account_store_test.ts",
  "tests/long/create_migrate_test.ts",
  "tests/deno/migrate_auth_js_token_test.ts",
  "tests/long/migrate_better_auth_teams_test.ts",
  "tests/long/migrate_better_auth_test.ts",
  "tests/deno/migrate_tables_test.ts",
  "tests/deno/oauth_parties_test.ts",
  "tests/deno/oauth_public_fetch_test.ts",
  "tests/deno/outbox_test.ts",
  "tests/deno/qr_code_test.ts",
  "tests/deno/session_kit_test.ts",
];

/** Copies all files of the project that Git knows or does not ignore. */
export async function copyProject(path: string): Promise<Tree> {
  const args = ["ls-files", "-co", "--exclude-standard", "-z"];
  const { stdout, success } = await new Deno.Command("git", { args, cwd: ROOT })
    .output();
  if (!success) throw new Error("Cannot list the files: git failed");
  const files = new TextDecoder().decode(stdout).split("\0").filter(Boolean);
  for (const file of files) {
    const target = `${path}/${file}`;
    await Deno.mkdir(target.slice(0, target.lastIndexOf("/")), {
      recursive: true,
    });
    await Deno.copyFile(new URL(file, ROOT), target).catch((error) => {
      // Git still lists a file that was deleted.
      if (!(error instanceof Deno.errors.NotFound)) throw error;
    });
  }
  return {
    path,
    read: (file) => Deno.readTextFile(`${path}/${file}`),
    write: (file, text) => Deno.writeTextFile(`${path}/${file}`, text),
  };
}

/** Finds the sources of the library below a path, without kits and other texts. */
export async function findSources(path: string): Promise<string[]> {
  const found: string[] = [];
  const visit = async (path: string) => {
    for await (const entry of Deno.readDir(new URL(path, ROOT))) {
      const below = `${path}/${entry.name}`;
      if (entry.isDirectory) await visit(below);
      else if (below.endsWith(".ts")) found.push(below);
    }
  };
  if (path.endsWith(".ts")) found.push(path);
  else await visit(path);
  const others = /\/kit\/|\/browser\/|testing\.ts$|messages\.ts$|script\.ts$/;
  return found.filter((file) => !others.test(file)).sort();
}

/** Runs `deno test` in a tree, until the first failure. */
export async function runTests(
  { path }: Tree,
  args: readonly string[],
  { cpu, wall }: Limits,
  env: Record<string, string> = {},
): Promise<TestRun> {
  // The task that starts this program sets the variable.
  const lock = Deno.env.get("NPM_LOCK");
  const all = ["test", "-A", "--no-check", ...lock ? [`--lock=${lock}`] : []];
  const script = 'ulimit -t "$0"; exec "$@"';
  const signal = AbortSignal.timeout(wall * 1000);
  const { code, stdout, stderr } = await new Deno.Command("sh", {
    args: ["-c", script, String(cpu), Deno.execPath(), ...all, ...args],
    cwd: path,
    env: { NO_COLOR: "1", ...env },
    signal,
  }).output();
  const decoder = new TextDecoder();
  const output = decoder.decode(stdout) + decoder.decode(stderr);
  if (code === 0) return { result: "passed", output };
  // A missing summary means a stopped process or an invalid module.
  const isStopped = code > 1 && !/\d+ failed|error: /.test(output);
  return { result: isStopped ? "timed out" : "failed", output };
}
