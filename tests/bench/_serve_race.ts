import { type Bound, medianOf, printTable } from "./_measure.ts";

/**
 * A server to start: a program that writes `port 8000` to stderr, or JSON with
 * this member.
 */
export interface ServerEntry {
  /** The name in the table. */
  readonly name: string;
  /** The program and its arguments. */
  readonly command: readonly string[];
  /** The path to request. */
  readonly path: string;
  /**
   * Prepares the load of a started server.
   *
   * @param origin The origin of the server.
   * @returns The request headers.
   * @default {() => Promise.resolve({})}
   */
  readonly prepare?: (origin: string) => Promise<Record<string, string>>;
}

/** The number of measurements. */
export interface ServeEffort {
  /** The number of times that each server starts. */
  readonly starts: number;
  /** The most runs after a start that do not count, while the engine compiles. */
  readonly warmUps: number;
  /**
   * The number of requests after which a server needs no more of these runs.
   *
   * @default {Infinity}
   */
  readonly warmUpRequests?: number;
  /** Runs after a start that count. */
  readonly rounds: number;
}

/** The medians of each server, by its name. */
export interface Race {
  /** Nanoseconds from one answer to the next. */
  readonly between: ReadonlyMap<string, number>;
  /** Nanoseconds of processor time per response, empty if unknown. */
  readonly busy: ReadonlyMap<string, number>;
}

/** A server that listens. */
export interface Server {
  readonly name: string;
  readonly url: string;
  readonly headers: Record<string, string>;
  readonly process: Deno.ChildProcess;
}

/**
 * Measures servers, each in a separate process whose output is discarded. Runs
 * of a second take turns.
 */
export async function raceServers(
  entries: readonly ServerEntry[],
  effort: ServeEffort,
): Promise<Race> {
  const { starts, warmUps, rounds, warmUpRequests = Infinity } = effort;
  const between = new Map<string, number[]>();
  const busy = new Map<string, number[]>();
  for (let started = 0; started < starts; started++) {
    const servers: Server[] = [];
    try {
      for (const entry of entries) {
        const server = await startServer(entry);
        servers.push(server);
        for (
          let run = 0, sum = 0;
          run < warmUps && sum < warmUpRequests;
          run++
        ) {
          sum += (await load(server)).requests;
        }
      }
      for (let round = 0; round < rounds; round++) {
        for (const server of servers) {
          const { name } = server;
          const { rate, cost } = await load(server);
          between.getOrInsert(name, []).push(1e9 / rate);
          if (cost !== null) busy.getOrInsert(name, []).push(cost);
        }
      }
    } finally {
      for (const { process } of servers) {
        process.kill();
        await process.status;
      }
    }
  }
  return { between: medians(between), busy: medians(busy) };
}

/**
 * Prints the medians of a race. The bounds apply to processor time, if it is
 * known.
 *
 * @returns `true` if all bounds hold within the tolerance.
 */
export function printRace(
  title: string,
  { between, busy }: Race,
  bounds: readonly Bound[],
): boolean {
  const unit = "ns between answers";
  if (busy.size === 0) return printTable(title, between, bounds, unit);
  printTable(title, between, [], unit);
  return printTable(`${title}, processor`, busy, bounds, "ns per answer");
}

/**
 * Returns the times as `measure` does: by the ratios to the first server in the
 * same round, because the speed of a machine may change.
 */
function medians(samples: Map<string, number[]>): Map<string, number> {
  const [first = []] = samples.values();
  return new Map([...samples].map(([name, times]) => {
    const ratio = medianOf(times.map((time, round) => time / first[round]!));
    return [name, medianOf(first) * ratio];
  }));
}

/**
 * Returns the processor time of a process in nanoseconds, over all its threads.
 */
function processorTime(pid: number): number | null {
  try {
    const text = Deno.readTextFileSync(`/proc/${pid}/stat`);
    // User and system time, in hundredths of a second (proc_pid_stat(5)).
    const fields = text.slice(text.lastIndexOf(")") + 2).split(" ");
    return (Number(fields[11]) + Number(fields[12])) * 1e7;
  } catch {
    return null;
  }
}

/** Starts a server and waits until it listens. */
export async function startServer(entry: ServerEntry): Promise<Server> {
  const { name, path, prepare } = entry;
  const [program, ...args] = entry.command;
  const process = new Deno.Command(program!, {
    args,
    stdout: "null",
    stderr: "piped",
  }).spawn();
  const lines = process.stderr.pipeThrough(new TextDecoderStream());
  let output = "";
  for await (const text of lines) {
    output += text;
    const port = /port(?: |":)(\d+)[\n}]/.exec(output)?.[1];
    if (port === undefined) continue;
    const origin = `http://127.0.0.1:${port}`;
    const headers = await prepare?.(origin) ?? {};
    return { name, url: origin + path, headers, process };
  }
  throw new Error(`The server of ${name} did not start:\n${output}`);
}

/** The result of one run of a server. */
interface Run {
  readonly requests: number;
  /** Requests per second. */
  readonly rate: number;
  /** Nanoseconds of processor time per response, or `null` if unknown. */
  readonly cost: number | null;
}

/** Has wrk ask a server for a second, on 32 connections. */
async function load({ url, headers, process }: Server): Promise<Run> {
  const lines = Object.entries(headers)
    .flatMap(([name, value]) => ["-H", `${name}: ${value}`]);
  const before = processorTime(process.pid);
  const { stdout } = await new Deno.Command("wrk", {
    args: ["-t1", "-c32", "-d1s", ...lines, url],
  }).output();
  const after = processorTime(process.pid);
  const text = new TextDecoder().decode(stdout);
  const requests = Number(/(\d+) requests in/.exec(text)?.[1]);
  const rate = Number(/Requests\/sec: +([\d.]+)/.exec(text)?.[1]);
  if (!requests || !rate || /Non-2xx|Socket errors/.test(text)) {
    throw new Error(`wrk said:\n${text}`);
  }
  const cost = before === null || after === null
    ? null
    : (after - before) / requests;
  return { requests, rate, cost };
}

/** Returns `true` if the program that generates the load is installed. */
export async function hasWrk(): Promise<boolean> {
  try {
    await new Deno.Command("wrk", { args: ["-v"] }).output();
    return true;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return false;
    throw error;
  }
}

/**
 * The end of a server's program: serves `fetch` as the guide does, and writes the
 * port to stderr. The first of `args` names the server of Node. If `isWrapped`,
 * `fetch` gets the request only.
 */
export const SERVE = `import process from "node:process";
const hostname = "127.0.0.1";
const tell = (port) => console.error("port " + port);
if ("Bun" in globalThis) {
  tell(Bun.serve({ port: 0, hostname, fetch }).port);
} else if ("Deno" in globalThis) {
  Deno.serve({ port: 0, hostname, onListen: ({ port }) => tell(port) }, fetch);
} else if (args[0] === "srvx") {
  const { serve } = await import("npm:srvx@1.0.8/node");
  const server = serve({
    port: 0,
    hostname,
    silent: true,
    fetch: isWrapped
      ? fetch
      : (request) => fetch(request, request.runtime),
  });
  await server.ready();
  tell(new URL(server.url).port);
} else {
  const { serve } = await import("npm:@hono/node-server@2.1.9");
  serve({ port: 0, hostname, fetch }, ({ port }) => tell(port));
}`;
