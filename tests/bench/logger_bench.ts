/**
 * The logger next to others, on Deno and on Bun. The first part counts the
 * nanoseconds that a request takes in each middleware with an output that does
 * nothing. The second part writes lines to a file, one by one and in batches.
 *
 * Bounds: `combined` escapes and redacts. It takes at most half the time of
 * @remix-run's logger and 1.2 times that of hono's, which escapes nothing.
 * `batchOutput` takes at most a tenth of console.log on Deno.
 *
 * `deno run -A tests/bench/logger_bench.ts [--quick]`
 */
import { EventEmitter } from "node:events";
import type { IncomingMessage, ServerResponse } from "node:http";
import morgan from "npm:morgan@1.12.1";
import { pinoHttp } from "npm:pino-http@11.0.0";
import { bunPath } from "../runtimes/bun.ts";
import { bundle } from "../runtimes/bundle.ts";
import { drop, raceLoggers, requests } from "./_logger_race.ts";
import { type Candidate, finish } from "./_measure.ts";
import { benchOnBun } from "./_on_bun.ts";

const quick = Deno.args.includes("--quick");

/** Behind the lines, before the table. */
const mark = "---";

const onDeno = await raceLoggers(quick, nodeLoggers());
const writtenByDeno = await raceWriting([Deno.execPath(), "run", "-A"]);
const onBun = await benchOnBun(
  new URL("_logger_race.ts", import.meta.url),
  `raceLoggers(${quick})`,
);
const writtenByBun = await raceWriting([bunPath()]);
finish(onDeno && writtenByDeno && onBun && writtenByBun);

/** Creates the loggers that take the request and response of Node's server. */
function nodeLoggers(): Candidate[] {
  const { combined } = morgan as unknown as { readonly combined: string };
  const format = morgan.compile(combined) as unknown as (
    tokens: typeof morgan,
    ...pair: readonly unknown[]
  ) => string;
  const middleware = pinoHttp({}, { write: drop });
  const pairs: ReturnType<typeof nodePair>[] = [];
  const prepare = (turn: number) => {
    pairs[turn] = nodePair(requests[turn]!);
  };
  return [{
    name: "morgan, combined",
    prepare,
    run(turn) {
      const { req, res } = pairs[turn]!;
      drop(format(morgan, req, res));
    },
  }, {
    name: "pino-http",
    prepare,
    run(turn) {
      const { req, res } = pairs[turn]!;
      // The logger reads nothing else of the objects of Node's server.
      middleware(
        req as unknown as IncomingMessage,
        res as unknown as ServerResponse,
      );
      res.emit("finish");
    },
  }];
}

/** Creates the request and response that Node loggers read. */
function nodePair(request: Request) {
  const { pathname, search } = new URL(request.url);
  const url = pathname + search;
  const req = Object.assign(new EventEmitter(), {
    method: request.method,
    url,
    originalUrl: url,
    httpVersionMajor: 1,
    httpVersionMinor: 1,
    headers: Object.fromEntries(request.headers),
    socket: { remoteAddress: "10.0.0.1", remotePort: 1 },
    _startTime: new Date(),
    _startAt: [0, 0],
  });
  const headers: Record<string, string> = { "content-length": "5" };
  const res = Object.assign(new EventEmitter(), {
    statusCode: 200,
    headersSent: true,
    getHeader: (name: string) => headers[name],
    getHeaders: () => headers,
  });
  return { req, res };
}

/** Writes lines to a file, in a separate process with its own output. */
async function raceWriting(program: readonly string[]): Promise<boolean> {
  const folder = await Deno.makeTempDir();
  const script = await bundle(`
    import { batchOutput } from "@gatehouse/web/logger-middleware";
    import * as bench from "${new URL("_measure.ts", import.meta.url)}";
    const line = '10.0.0.1 - - [20/Nov/2026:17:55:48 +0000] "GET /articles/1 ' +
      'HTTP/1.1" 200 5 "-" "Mozilla/5.0 (X11; Linux x86_64)"';
    const batch = batchOutput();
    const medians = await bench.measure([
      { name: "gatehouse, batchOutput", run: () => batch(line) },
      { name: "console.log", run: () => console.log(line) },
    ], { rounds: ${quick ? 50 : 300}, turns: 250 });
    await batch.flush();
    const bound = { of: "gatehouse, batchOutput", to: "console.log", most: 0.1 };
    // Bun's console.log takes hardly more than the writing itself.
    const bounds = "Bun" in globalThis ? [] : [bound];
    console.log("${mark}");
    const title = "Request log, a line to a file";
    process.exit(bench.printTable(title, medians, bounds) ? 0 : 1);`);
  try {
    await Deno.writeTextFile(`${folder}/main.js`, script);
    const { success } = await new Deno.Command("sh", {
      args: [
        "-c",
        `"$@" > ${folder}/log`,
        "sh",
        ...program,
        `${folder}/main.js`,
      ],
      stderr: "inherit",
    }).output();
    const log = await Deno.readTextFile(`${folder}/log`);
    console.log(log.slice(log.lastIndexOf(mark) + mark.length).trimEnd());
    return success;
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}
