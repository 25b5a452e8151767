/**
 * Whole servers: requests per second under `Deno.serve` and `Bun.serve`,
 * counted by wrk. A param route runs next to a bare handler and to other
 * libraries: without middleware, with five that return the promise of `next()`,
 * and with five async functions that await it. A function around `router.fetch`
 * may cost 5 % more. Five entries for an API have no bound: reading headers and
 * setting timers takes most of their time.
 *
 * Each server is a separate process. Short runs alternate, and medians count.
 * Two processes of the same program differ in speed, so each server is
 * restarted now and then.
 *
 * On Linux the bounds apply to the processor time of a server per request. A
 * server fills one processor, so this shows the same, but other load on the
 * machine hardly changes it.
 */
import { bunPath } from "../runtimes/bun.ts";
import { bundle } from "../runtimes/bundle.ts";
import { applications } from "./_dispatch.ts";
import { type Bound, finish, medianOf, printTable } from "./_measure.ts";

const quick = Deno.args.includes("--quick");

/** The number of times that each server starts. */
const starts = quick ? 1 : 4;

/** Runs while a server lives: those in which its engine compiles, and others. */
const [warmUps, rounds] = quick ? [1, 3] : [3, 4];

/** The server that calls `router.fetch` with the request only. */
const wrapped = "gatehouse in a function";

/** The router behind five middleware that an API has. */
const entries = "gatehouse with five entries";

/** Not Remix's: its middleware would not let the others have their turn. */
const names = Object.keys(applications)
  .filter((name) => !name.startsWith("@"))
  .concat(wrapped);

/** The bounds behind async middleware: 1.15 times the requests of Hono. */
const ASYNC_BOUNDS: readonly Bound[] = [
  { of: "gatehouse", to: "hono", most: 1 / 1.15 },
  { of: wrapped, to: "gatehouse", most: 1.05 },
];

interface Server {
  readonly name: string;
  readonly url: string;
  readonly process: Deno.ChildProcess;
}

if (!await hasWrk()) {
  console.log("Skipped: wrk is not installed");
} else {
  const folder = await Deno.makeTempDir();
  try {
    const script = `${folder}/server.js`;
    await Deno.writeTextFile(script, await bundle(serverSource()));
    let holds = true;
    for (
      const [runtime, command] of [
        ["Deno.serve", [Deno.execPath(), "run", "--allow-all", script]],
        ["Bun.serve", [bunPath(), script]],
      ] as const
    ) {
      for (
        const [kind, application, list, limits] of [
          ["0 middleware", ["0", "returns"], names, bounds(0.97)],
          ["5 middleware", ["5", "returns"], names, bounds(0.9)],
          ["5 async middleware", ["5", "awaits"], names, ASYNC_BOUNDS],
          ["entries", ["0", "returns"], ["gatehouse", entries], []],
        ] as const
      ) {
        const title = `${runtime}, param route, ${kind}`;
        const { between, busy } = await race(command, application, list);
        const unit = "ns between answers";
        holds = (busy.size > 0
          ? printTable(title, between, [], unit) &&
            printTable(`${title}, processor`, busy, limits, "ns per answer")
          : printTable(title, between, limits, unit)) && holds;
      }
    }
    finish(holds);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

/** Returns bounds, among them the least part of the bare handler's requests. */
function bounds(leastOfBare: number): Bound[] {
  const peers = ["hono", "h3", "itty-router"];
  return [
    { of: "gatehouse", to: "bare", most: 1 / leastOfBare },
    { of: wrapped, to: "gatehouse", most: 1.05 },
    ...peers.map((to) => ({ of: "gatehouse", to, most: 1 })),
  ];
}

/** The medians of each server, by its name. */
interface Race {
  /** Nanoseconds from one answer to the next. */
  readonly between: ReadonlyMap<string, number>;
  /** Nanoseconds of processor time per response, empty if unknown. */
  readonly busy: ReadonlyMap<string, number>;
}

async function race(
  command: readonly string[],
  application: readonly string[],
  names: readonly string[],
): Promise<Race> {
  const between = new Map<string, number[]>();
  const busy = new Map<string, number[]>();
  for (let started = 0; started < starts; started++) {
    const servers: Server[] = [];
    try {
      for (const name of names) {
        servers.push(await start(command, name, application));
      }
      for (let round = -warmUps; round < rounds; round++) {
        for (const { name, rate, cost } of await load(servers)) {
          if (round < 0) continue;
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

function medians(samples: Map<string, number[]>): Map<string, number> {
  return new Map([...samples].map(([name, times]) => [name, medianOf(times)]));
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

async function start(
  [program, ...args]: readonly string[],
  name: string,
  application: readonly string[],
): Promise<Server> {
  const process = new Deno.Command(program!, {
    args: [...args, name, ...application],
    stdout: "piped",
    stderr: "null",
  }).spawn();
  const lines = process.stdout.pipeThrough(new TextDecoderStream());
  for await (const text of lines) {
    const port = /port (\d+)/.exec(text)?.[1];
    if (port === undefined) continue;
    return { name, url: `http://127.0.0.1:${port}/users/7x`, process };
  }
  throw new Error(`The server of ${name} did not start`);
}

/** The result of one run of a server. */
interface Run {
  readonly name: string;
  /** Requests per second. */
  readonly rate: number;
  /** Nanoseconds of processor time per response, or `null` if unknown. */
  readonly cost: number | null;
}

/** Has wrk ask each server for a second, on 32 connections. */
async function load(servers: readonly Server[]): Promise<Run[]> {
  const runs: Run[] = [];
  for (const { name, url, process } of servers) {
    const before = processorTime(process.pid);
    const { stdout } = await new Deno.Command("wrk", {
      args: ["-t1", "-c32", "-d1s", url],
    }).output();
    const after = processorTime(process.pid);
    const text = new TextDecoder().decode(stdout);
    const requests = /(\d+) requests in/.exec(text)?.[1];
    const perSecond = /Requests\/sec: +([\d.]+)/.exec(text)?.[1];
    if (!requests || !perSecond || /Non-2xx|Socket errors/.test(text)) {
      throw new Error(`wrk said:\n${text}`);
    }
    const cost = before === null || after === null
      ? null
      : (after - before) / Number(requests);
    runs.push({ name, rate: Number(perSecond), cost });
  }
  return runs;
}

/** Returns a program for both runtimes that prints its port. */
function serverSource(): string {
  const module = new URL("_dispatch.ts", import.meta.url).href;
  const entriesModule = new URL("_entries.ts", import.meta.url).href;
  return `import { applications } from ${JSON.stringify(module)};
import { createEntries } from ${JSON.stringify(entriesModule)};
const isBun = "Bun" in globalThis;
const [name, middleware, form] = isBun ? Bun.argv.slice(2) : Deno.args;
const isWrapped = name === ${JSON.stringify(wrapped)};
const handle = name === ${JSON.stringify(entries)}
  ? createEntries()
  : applications[isWrapped ? "gatehouse" : name](Number(middleware), form);
const fetch = isWrapped ? (request) => handle(request) : handle;
const hostname = "127.0.0.1";
const tell = (port) => console.log("port " + port);
if (isBun) tell(Bun.serve({ port: 0, hostname, fetch }).port);
else Deno.serve({ port: 0, hostname, onListen: ({ port }) => tell(port) }, fetch);
`;
}

async function hasWrk(): Promise<boolean> {
  try {
    await new Deno.Command("wrk", { args: ["-v"] }).output();
    return true;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return false;
    throw error;
  }
}
