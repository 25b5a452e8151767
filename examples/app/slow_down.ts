import { tooManyRequests } from "@gatehouse/web/auth";
import type { RequestContext } from "@gatehouse/web/fetch-router";

/** Creates a 429 response from a page that says how long to wait. */
export function slowDown(
  context: RequestContext,
  retryAfter: number,
  page: Response,
): Response | Promise<Response> {
  const { body, headers } = page;
  const init = { body: body ?? undefined, headers };
  return tooManyRequests(context, retryAfter, init);
}

/** Returns the message for a visitor who tried too often. */
export function waitText(retryAfter: number): string {
  return `Too many attempts. Please wait ${
    duration(retryAfter)
  }, then try again.`;
}

function duration(seconds: number): string {
  if (seconds === 1) return "a second";
  if (seconds < 120) return `${seconds} seconds`;
  return `${Math.ceil(seconds / 60)} minutes`;
}
