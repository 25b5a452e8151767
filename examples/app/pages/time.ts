import { html, type Markup } from "@gatehouse/web/content";

/** Returns the day of a time, for people and machines. */
export function dayOf(epochMilliseconds: number): Markup {
  const time = new Date(epochMilliseconds).toISOString();
  return html`<time datetime="${time}">${time.slice(0, 10)}</time>`;
}
