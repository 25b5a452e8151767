import { html, type Markup } from "../../router/content/mod.ts";
import type { WayIn } from "../store/store.ts";
import type { PageCall } from "./page.ts";

/** Creates the row of a way in, with a button that removes it. */
export function wayRow(
  { messages }: PageCall,
  { id, name, createdAt, usedAt }: Pick<
    WayIn,
    "id" | "name" | "createdAt" | "usedAt"
  >,
  action: string,
): Markup {
  return html`
    <li>
      <div>
        <strong>${name}</strong>
        <p class="hint">${messages.added(dayOf(createdAt))}${usedAt !== null &&
          html`, ${messages.lastUsed(dayOf(usedAt))}`}</p>
      </div>
      <form method="post" action="${action}">
        <input type="hidden" name="id" value="${id}">
        <button class="quiet" aria-label="${messages.removeNamed(name)}">
          ${messages.remove}
        </button>
      </form>
    </li>
  `;
}

/** Returns the day of a time. */
export function dayOf(time: number): string {
  return new Date(time).toISOString().slice(0, 10);
}
