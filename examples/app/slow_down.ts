import { tooManyRequests } from "@gatehouse/web/auth";

/** Creates a 429 response from a page that says how long to wait. */
export function slowDown(retryAfter: number, page: Response): Response {
  const { body, headers } = page;
  return tooManyRequests(retryAfter, { body: body ?? undefined, headers });
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
