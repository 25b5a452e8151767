import { cached } from "../offline/cache.ts";
import { makeDataFolder } from "../runtimes/data_folder.ts";
import { firstExisting, pathsOf, skip } from "./_installed.ts";
import { accepts, freePort } from "./_programs.ts";
import { until, withinMinute } from "../_wait.ts";

/** A database server for one test. */
export interface Server {
  /** The port on 127.0.0.1. */
  readonly port: number;
  /** Kills the server, like a crash. */
  crash(): Promise<void>;
  /** Restarts the server on the same port with its data. */
  restart(): Promise<void>;
  /** Suspends or resumes Redis. */
  freeze(frozen: boolean): void;
  /** Stops the server and removes its data. */
  stop(): Promise<void>;
}

/** Finds a program of Debian's packages, or says that tests are skipped. */
export function findProgram(name: string, tests: string): string | null {
  const path = firstExisting([
    ...pathsOf(name),
    ...versions("/usr/lib/postgresql").map((version) =>
      `${version}/bin/${name}`
    ),
  ]);
  if (path === null) skip(tests, `${name} is not installed`);
  return path;
}

/** Starts Redis, which writes every change to a file at once. */
export async function startRedis(
  program: string,
  options: readonly string[] = [],
): Promise<Server> {
  const folder = await makeDataFolder();
  const port = freePort();
  const args = ["--port", String(port), "--bind", "127.0.0.1", "--save", ""]
    .concat("--appendonly", "yes", "--appendfsync", "always", "--dir", folder)
    .concat(options);
  const spawn = () =>
    new Deno.Command(program, { args, stdout: "null", stderr: "null" }).spawn();
  return await startServer(folder, port, spawn, () => accepts(port));
}

/** Starts three nodes of Redis as a cluster. The port is that of the first. */
export async function startRedisCluster(program: string): Promise<Server> {
  // The default is the port plus 10,000, which may be too large.
  const buses = [freePort(), freePort(), freePort()];
  const nodes = await Promise.all(
    buses.map((bus) =>
      startRedis(program, [
        ...["--cluster-enabled", "yes"],
        ...["--cluster-port", String(bus)],
      ])
    ),
  );
  const [first] = nodes;
  const client = program.replace(/redis-server$/, "redis-cli");
  const run = async (port: number, ...args: string[]) => {
    const { stdout } = await new Deno.Command(client, {
      args: ["-p", String(port), ...args],
    }).output();
    return new TextDecoder().decode(stdout);
  };
  const slots = [0, 5461, 10923, 16384];
  for (const [index, { port }] of nodes.entries()) {
    const range = [slots[index]!, slots[index + 1]! - 1].map(String);
    await run(port, "CLUSTER", "ADDSLOTSRANGE", ...range);
    await run(port, "CLUSTER", "SET-CONFIG-EPOCH", String(index + 1));
    const address = ["127.0.0.1", String(first!.port), String(buses[0])];
    if (index > 0) await run(port, "CLUSTER", "MEET", ...address);
  }
  for (const { port } of nodes) {
    await withinMinute(
      until(async () =>
        (await run(port, "CLUSTER", "INFO")).includes("cluster_state:ok")
      ),
      () => `The cluster with the port ${port} does not begin`,
    );
  }
  return {
    ...first!,
    stop: async () => {
      for (const { stop } of nodes) await stop();
    },
  };
}

/** Starts PostgreSQL with a new database. */
export async function startPostgres(program: string): Promise<Server> {
  const folder = await makeDataFolder();
  const port = freePort();
  const data = `${folder}/data`;
  const user = unprivilegedUser();
  // The other programs are next to it in its real folder.
  const real = await Deno.realPath(program);
  await run("cp", ["-R", await createDatabase(real), data]);
  if (user !== undefined) {
    await run("chown", ["-R", `${user.uid}:${user.gid}`, folder]);
  }
  const args = ["-D", data, "-p", String(port), "-k", folder]
    .concat("-c", "listen_addresses=127.0.0.1");
  const silent = { cwd: folder, stdout: "null", stderr: "null" } as const;
  const spawn = () =>
    new Deno.Command(real, { args, ...silent, ...user }).spawn();
  const asking = new Deno.Command(real.replace(/postgres$/, "pg_isready"), {
    args: ["-h", "127.0.0.1", "-p", String(port)],
    ...silent,
  });
  const isReady = async () => (await asking.output()).success;
  return await startServer(folder, port, spawn, isReady);
}

/** Returns the data of a new database, which is created once. */
async function createDatabase(program: string): Promise<string> {
  const cache = await cached("postgres", [program], async (target) => {
    const folder = await Deno.makeTempDir();
    const user = unprivilegedUser();
    if (user !== undefined) await Deno.chown(folder, user.uid, user.gid);
    const data = `${folder}/data`;
    const args = ["-D", data, "-A", "trust", "-U", "test", "--no-sync"];
    const options = { cwd: folder, ...user };
    await run(program.replace(/postgres$/, "initdb"), args, options);
    await run("cp", ["-R", data, `${target}/data`]);
    await Deno.remove(folder, { recursive: true });
  });
  return `${cache}/data`;
}

/** Runs a program to its end. */
async function run(
  program: string,
  args: string[],
  options: Deno.CommandOptions = {},
): Promise<void> {
  const command = new Deno.Command(program, { args, ...options });
  const { success, stderr } = await command.output();
  if (!success) throw new Error(new TextDecoder().decode(stderr));
}

async function startServer(
  folder: string,
  port: number,
  spawn: () => Deno.ChildProcess,
  isReady: () => Promise<boolean>,
): Promise<Server> {
  const ready = () =>
    withinMinute(until(isReady), () => `No server answers on port ${port}`);
  let child = spawn();
  await ready();
  const crash = async () => {
    // PostgreSQL's SIGQUIT is its crash: its helpers end with it.
    child.kill("SIGCONT");
    child.kill("SIGQUIT");
    const timer = setTimeout(() => child.kill("SIGKILL"), 1_000);
    await child.status;
    clearTimeout(timer);
  };
  return {
    port,
    crash,
    restart: async () => {
      child = spawn();
      await ready();
    },
    freeze: (frozen) => child.kill(frozen ? "SIGSTOP" : "SIGCONT"),
    stop: async () => {
      await crash();
      await Deno.remove(folder, { recursive: true });
    },
  };
}

/** Returns an unprivileged user, because PostgreSQL does not run as root. */
function unprivilegedUser(): { uid: number; gid: number } | undefined {
  return Deno.uid() === 0 ? { uid: 65534, gid: 65534 } : undefined;
}

function versions(folder: string): string[] {
  try {
    return [...Deno.readDirSync(folder)].map(({ name }) => `${folder}/${name}`);
  } catch {
    return [];
  }
}
