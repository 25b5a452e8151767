import { assertEquals } from "@std/assert";
import { RequestContext } from "@gatehouse/web/fetch-router";
import { logger, type LoggerOptions } from "@gatehouse/web/logger-middleware";

/** Creates a request with unparsed headers and URL, as servers pass it. */
export function rawRequest(
  headers: Readonly<Record<string, string>>,
  url = "https://example.com/",
): Request {
  const request = {
    method: "GET",
    url,
    headers: {
      get: (name: string) =>
        Object.entries(headers).find(([key]) => key.toLowerCase() === name)
          ?.[1] ?? null,
    },
  };
  return request as unknown as Request;
}

export async function lineOf(
  options: LoggerOptions,
  request: Request,
): Promise<string> {
  const lines: string[] = [];
  const context = new RequestContext(request);
  const middleware = logger({
    output: (line) => lines.push(line),
    ...options,
  });
  await middleware(context, () => Promise.resolve(new Response()));
  assertEquals(lines.length, 1);
  return lines[0];
}
