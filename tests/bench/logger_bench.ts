/**
 * The logger next to others: nanoseconds for one request with the output
 * thrown away, interleaved in one process, a fresh context each time; and what
 * a line costs to write.
 *
 * Bounds: `combined` at most half of @remix-run's line and 1.2 of hono's,
 * `batchOutput` at most a tenth of console.log.
 */
import { batchOutput, logger } from "@gatehouse/web/logger-middleware";
import { RequestContext } from "@gatehouse/web/fetch-router";
import { EventEmitter } from "node:events";
import {
  configure,
  getLogger,
  getTextFormatter,
} from "npm:@logtape/logtape@^2";
import { RequestContext as RemixContext } from "npm:@remix-run/fetch-router@^0.20";
import { logger as remixLogger } from "npm:@remix-run/logger-middleware@^0.2";
import { Context as HonoContext } from "npm:hono@^4";
import { logger as honoLogger } from "npm:hono@^4/logger";
import morgan from "npm:morgan@^1";
import { pinoHttp } from "npm:pino-http@^11";

/** What fails the gate, on machines that do other things as well. */
const TOLERANCE = 1.5;

const quick = Deno.args.includes("--quick");
const ROUNDS = quick ? 100 : 1000;
const BATCH = 250;

interface Cell {
  readonly name: string;
  /** Prepares one request, untimed, and returns what is timed. */
  readonly prepare: (request: Request) => () => unknown;
  readonly samples: number[];
}

let sink = 0;
const drop = (line: string) => {
  sink += line.length;
};
const response = new Response("Hello", {
  headers: { "Content-Length": "5", "Content-Type": "text/plain" },
});
const next = () => Promise.resolve(response);

/** A cell for a middleware of ours. */
function own(name: string, options: Parameters<typeof logger>[0]): Cell {
  const middleware = logger({ output: drop, ...options });
  return cell(name, (request) => {
    const context = new RequestContext(request, { remoteAddress: "10.0.0.1" });
    return () => middleware(context, next);
  });
}

function remix(name: string, format?: string): Cell {
  const middleware = remixLogger({ format, log: drop, colors: false });
  return cell(name, (request) => {
    const context = new RemixContext(request);
    // deno-lint-ignore no-explicit-any -- two versions of the same class
    return () => middleware(context as any, next);
  });
}

function hono(): Cell {
  const middleware = honoLogger(drop);
  return cell("hono/logger", (request) => {
    const context = new HonoContext(request);
    context.res = response;
    return () => middleware(context, () => Promise.resolve());
  });
}

/** What the loggers for Node see of a request. */
function nodePair(request: Request) {
  const { pathname } = new URL(request.url);
  const req = Object.assign(new EventEmitter(), {
    method: request.method,
    url: pathname,
    originalUrl: pathname,
    httpVersionMajor: 1,
    httpVersionMinor: 1,
    headers: Object.fromEntries(request.headers),
    socket: { remoteAddress: "10.0.0.1", remotePort: 1 },
    _startTime: new Date(),
    _startAt: [0, 0],
  });
  const headers = { "content-length": "5" };
  const res = Object.assign(new EventEmitter(), {
    statusCode: 200,
    headersSent: true,
    getHeader: (name: string) => Reflect.get(headers, name),
    getHeaders: () => headers,
  });
  return { req, res };
}

function nodeLoggers(): Cell[] {
  // deno-lint-ignore no-explicit-any -- neither has types for such pairs
  const untyped: any = morgan;
  const format = untyped.compile(untyped.combined);
  const middleware = pinoHttp({}, { write: drop });
  return [
    cell("morgan, combined (format alone)", (request) => {
      const { req, res } = nodePair(request);
      return () => drop(format(untyped, req, res));
    }),
    cell("pino-http", (request) => {
      // deno-lint-ignore no-explicit-any -- see above
      const { req, res }: any = nodePair(request);
      return () => {
        middleware(req, res);
        res.emit("finish");
      };
    }),
  ];
}

async function logTape(): Promise<Cell> {
  const format = getTextFormatter();
  await configure({
    sinks: { drop: (record) => drop(format(record)) },
    loggers: [
      { category: "bench", sinks: ["drop"], lowestLevel: "info" },
      { category: ["logtape", "meta"], lowestLevel: "fatal" },
    ],
  });
  const log = getLogger("bench");
  return cell("LogTape, text", (request) => {
    const { pathname } = new URL(request.url);
    return () =>
      log.info("{method} {url} {status} {time}ms", {
        method: request.method,
        url: pathname,
        status: response.status,
        time: 3,
      });
  });
}

function cell(name: string, prepare: Cell["prepare"]): Cell {
  return { name, prepare, samples: [] };
}

/** Requests like those of browsers. To make one costs more than to log it. */
const requests = Array.from(
  { length: BATCH },
  (_, index) =>
    new Request(`https://example.com/articles/${index}?page=2`, {
      headers: {
        "User-Agent":
          "Mozilla/5.0 (X11; Linux x86_64; rv:128.0) Gecko/20100101 Firefox/128.0",
        Referer: "https://example.com/articles",
        Accept: "text/html,application/xhtml+xml",
      },
    }),
);

async function measure(cells: readonly Cell[]): Promise<void> {
  for (let round = -5; round < ROUNDS; round++) {
    for (let index = 0; index < cells.length; index++) {
      const { prepare, samples } = cells[(index + round + 5) % cells.length];
      const runs = requests.map(prepare);
      const start = performance.now();
      for (const run of runs) await run();
      const time = (performance.now() - start) / BATCH * 1e6;
      if (round >= 0) samples.push(time);
    }
  }
}

function median(samples: readonly number[]): number {
  return samples.toSorted((a, b) => a - b)[samples.length >> 1];
}

/** Nanoseconds a line to a file, one by one and in batches. */
async function writing(): Promise<{ each: number; batched: number }> {
  const script = `
    import { batchOutput } from "@gatehouse/web/logger-middleware";
    const line = '10.0.0.1 - - [20/Nov/2026:17:55:48 +0000] "GET /articles/1 HTTP/1.1" 200 5 "-" "Mozilla/5.0 (X11; Linux x86_64)"';
    const encoder = new TextEncoder();
    const write = (text) => { Deno.stdout.writeSync(encoder.encode(text)); };
    const batch = batchOutput({ flush: write });
    const lines = 20000, each = [], batched = [];
    for (let round = 0; round < 12; round++) {
      let start = performance.now();
      for (let i = 0; i < lines; i++) console.log(line);
      each.push(performance.now() - start);
      start = performance.now();
      for (let i = 0; i < lines; i++) batch(line);
      await batch.flush();
      batched.push(performance.now() - start);
    }
    const median = (list) => list.slice(2).sort((a, b) => a - b)[5] / lines * 1e6;
    console.error(JSON.stringify({ each: median(each), batched: median(batched) }));
  `;
  const file = await Deno.makeTempFile({ suffix: ".ts" });
  try {
    await Deno.writeTextFile(file, script);
    const { stderr } = await new Deno.Command(Deno.execPath(), {
      args: ["run", "-A", "--no-check", "-c", "deno.json", file],
      cwd: new URL("../../", import.meta.url),
      stdout: "piped",
      env: { NO_COLOR: "1" },
    }).output();
    return JSON.parse(new TextDecoder().decode(stderr));
  } finally {
    await Deno.remove(file);
  }
}

const combined = own("gatehouse, combined", { format: "combined" });
const remixDefault = remix("@remix-run, its default line");
const honoLine = hono();
// Those with bounds first: an application has one logger, and the engine knows
// it. Further ones of ours would make it forget.
const bounded = [combined, honoLine, remixDefault];
await measure(bounded);
const others = [
  own("gatehouse, short", { format: "short" }),
  own("gatehouse, json", { format: "json" }),
  own("gatehouse, combined, batchOutput", {
    format: "combined",
    output: batchOutput({ flush: drop }),
  }),
  remix(
    "@remix-run, a combined line",
    '- - - [%date] "%method %path HTTP/1.1" %status %contentLength "%referer" "%userAgent"',
  ),
  ...nodeLoggers(),
  await logTape(),
];
await measure(others);
const base = median(combined.samples);
for (const { name, samples } of [...bounded, ...others]) {
  const time = median(samples);
  console.log(
    `${name.padEnd(34)} ${time.toFixed(0).padStart(6)} ns  ${
      (time / base).toFixed(2)
    }`,
  );
}
const { each, batched } = await writing();
console.log(
  `console.log ${each.toFixed(0)} ns a line, batchOutput ${batched.toFixed(0)}`,
);

const bounds: [string, number, number][] = [
  ["combined / @remix-run", base / median(remixDefault.samples), 0.5],
  ["combined / hono", base / median(honoLine.samples), 1.2],
  ["batchOutput / console.log", batched / each, 0.1],
];
let failed = false;
for (const [name, ratio, bound] of bounds) {
  console.log(`${name}: ${ratio.toFixed(2)}, bound ${bound}`);
  failed ||= ratio > bound * TOLERANCE;
}
console.log(`(${sink} characters)`);
if (failed) Deno.exit(1);
