import type { createEmailApp } from "../_email_app.ts";

export const MINUTE = 60_000;

export const HOUR = 60 * MINUTE;

export const DAY = 24 * HOUR;

export type App = ReturnType<typeof createEmailApp>;

export type Browser = ReturnType<App["browser"]>;

/** Returns another address for each call, as a botnet has them. */
export function addresses(first: number): () => string {
  let count = 0;
  return () => {
    count++;
    return `${first}.${count >> 16}.${(count >> 8) & 255}.${count & 255}`;
  };
}

/** Opens the latest email, if it is less than ten minutes old. */
export async function openLatest(app: App, browser: Browser, mails: number) {
  const mail = app.outbox.at(-1);
  return app.outbox.length > mails && mail !== undefined &&
    await browser.link(mail.token) === "ok";
}
