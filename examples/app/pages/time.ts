import { html, type Markup } from "@gatehouse/web/content";

const format = new Intl.DateTimeFormat("en-GB", {
  dateStyle: "medium",
  timeStyle: "short",
  timeZone: "UTC",
});

/** Returns a time that people and machines can read. */
export function time(epochMilliseconds: number): Markup {
  const date = new Date(epochMilliseconds);
  return html`<time datetime="${date.toISOString()}">${
    format.format(date)
  } UTC</time>`;
}
