import { RequestContext } from "@gatehouse/web/fetch-router";
import { batchOutput, logger } from "@gatehouse/web/logger-middleware";
import {
  configure,
  getLogger,
  getTextFormatter,
} from "npm:@logtape/logtape@2.4.2";
import { RequestContext as RemixContext } from "npm:@remix-run/fetch-router@0.20.1";
import { logger as remixLogger } from "npm:@remix-run/logger-middleware@0.2.1";
import { Context as HonoContext } from "npm:hono@4.13.19";
import { logger as honoLogger } from "npm:hono@4.13.19/logger";
import { type Candidate, measure, printTable } from "./_measure.ts";

/**
 * Requests like those of browsers. To make one costs more than to log it, and a
 * server has few in hand at a time.
 */
export const requests: readonly Request[] = Array.from(
  { length: 100 },
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

const response = new Response("Hello", {
  headers: { "Content-Length": "5", "Content-Type": "text/plain" },
});
const next = () => Promise.resolve(response);

let characters = 0;

/** Discards a line, as the output of every logger does here. */
export function drop(line: string): void {
  characters += line.length;
}

/**
 * Passes the same requests through the middleware of each library, each time
 * with a new context, and prints the tables.
 *
 * @param quick `true` to check only for results far beyond a bound.
 * @param others More candidates, which exist on some runtimes only.
 * @returns `true` if every ratio is within 1.5 times its bound.
 */
export async function raceLoggers(
  quick: boolean,
  others: readonly Candidate[] = [],
): Promise<boolean> {
  const effort = { rounds: quick ? 100 : 1_000, turns: requests.length };
  // By themselves: an application has one logger, and the engine knows it.
  const bounded = await measure([
    own("gatehouse, combined", { format: "combined" }),
    own("gatehouse, not redacted", { format: "combined", redact: false }),
    remix("@remix-run, its own line"),
    hono("hono, not escaped"),
    { name: "no logger", run: next },
  ], effort);
  const holds = printTable("Request log", bounded, [
    { of: "gatehouse, combined", to: "@remix-run, its own line", most: 0.5 },
    { of: "gatehouse, combined", to: "hono, not escaped", most: 1.2 },
  ]);
  const output = batchOutput({ flush: drop });
  const formats = await measure([
    own("gatehouse, combined", { format: "combined" }),
    own("gatehouse, combined, batched", { format: "combined", output }),
    own("gatehouse, short", { format: "short" }),
    own("gatehouse, json", { format: "json" }),
    remix(
      "@remix-run, a combined line",
      '- - - [%date] "%method %path HTTP/1.1" %status %contentLength "%referer" "%userAgent"',
    ),
    await logTape("LogTape, text"),
    ...others,
  ], effort);
  await output.flush();
  printTable("Request log, other formats", formats);
  return holds && characters > 0;
}

function own(
  name: string,
  options: Parameters<typeof logger>[0],
): Candidate {
  const middleware = logger({ output: drop, ...options });
  const remoteAddress = "10.0.0.1";
  return behind(
    name,
    (request) => new RequestContext(request, { remoteAddress }),
    (context) => middleware(context, next),
  );
}

type RemixLoggerContext = Parameters<ReturnType<typeof remixLogger>>[0];

function remix(name: string, format?: string): Candidate {
  const middleware = remixLogger({ format, log: drop, colors: false });
  return behind(
    name,
    (request) => new RemixContext(request),
    // They are two versions of the same class.
    (context) => middleware(context as unknown as RemixLoggerContext, next),
  );
}

function hono(name: string): Candidate {
  const middleware = honoLogger(drop);
  return behind(
    name,
    (request) => {
      const context = new HonoContext(request);
      context.res = response;
      return context;
    },
    (context) => middleware(context, () => Promise.resolve()),
  );
}

/** Creates a candidate whose contexts exist before its time starts. */
function behind<Context>(
  name: string,
  contextOf: (request: Request) => Context,
  log: (context: Context) => unknown,
): Candidate {
  const contexts: Context[] = [];
  return {
    name,
    prepare: (turn) => contexts[turn] = contextOf(requests[turn]!),
    run: (turn) => log(contexts[turn]!),
  };
}

/** Creates a candidate without middleware: a log line of four fields. */
async function logTape(name: string): Promise<Candidate> {
  const format = getTextFormatter();
  await configure({
    sinks: { drop: (record) => drop(format(record)) },
    loggers: [
      { category: "bench", sinks: ["drop"], lowestLevel: "info" },
      { category: ["logtape", "meta"], lowestLevel: "fatal" },
    ],
  });
  const log = getLogger("bench");
  const { status } = response;
  const paths = requests.map(({ url }) => new URL(url).pathname);
  return {
    name,
    run: (turn) =>
      log.info("{method} {url} {status} {time}ms", {
        method: "GET",
        url: paths[turn],
        status,
        time: 3,
      }),
  };
}
