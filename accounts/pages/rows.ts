import { html, type Markup } from "../../router/content/mod.ts";
import type { WayIn } from "../store/store.ts";
import type { PageCall } from "./page.ts";

/** Creates the row of a way in, with a button that removes it. */
export function wayRow(
  call: PageCall,
  { id, name, createdAt, usedAt }: Pick<
    WayIn,
    "id" | "name" | "createdAt" | "usedAt"
  >,
  { action, extra }: {
    /** The path that removes it. */
    readonly action: string;
    /** More content below the times. */
    readonly extra?: Markup;
  },
): Markup {
  const { messages } = call;
  return html`
    <li>
      <div>
        <strong>${name}</strong>
        <p class="hint">${messages.added(dayOf(createdAt))}${usedAt !== null &&
          html`, ${timeAgo(call, usedAt, messages.lastUsed)}`}</p>
        ${extra}
      </div>
      ${rowButton(action, { id }, {
        label: messages.removeNamed(name),
        text: messages.remove,
      })}
    </li>
  `;
}

/** Creates a list of rows, or shows the sentence for an empty list. */
export function rowList(rows: readonly Markup[], none: string): Markup {
  return rows.length === 0
    ? html`<p class="hint">${none}</p>`
    : html`<ul class="rows">${rows}</ul>`;
}

/** Creates a row with a name, a line of facts, and a link or a button. */
export function factRow(
  name: string,
  facts: readonly string[],
  action: Markup | false,
): Markup {
  return html`
    <li>
      <div>
        <strong><bdi>${name}</bdi></strong>
        <p class="hint">${facts.join(" · ")}</p>
      </div>
      ${action}
    </li>
  `;
}

/** Creates the link of a row. The label for screen readers names the row. */
export function rowLink(href: string, text: string, label: string): Markup {
  return html`
    <a class="button quiet" href="${href}"
      aria-label="${label}">${text}</a>
  `;
}

/** Creates the button of a row, such as "Remove", which posts the inputs. */
export function rowButton(
  action: string,
  inputs: Readonly<Record<string, string>>,
  { label, text }: {
    /** The label for screen readers, with the name of the row. */
    readonly label: string;
    readonly text: string;
  },
): Markup {
  return html`
    <form method="post" action="${action}">
      ${Object.entries(inputs).map(([name, value]) =>
        html`
          <input type="hidden" name="${name}" value="${value}">
        `
      )}
      <button class="quiet" aria-label="${label}">${text}</button>
    </form>
  `;
}

/** The units of time, each with its number of milliseconds. */
const UNITS = [["day", 86_400_000], ["hour", 3_600_000], [
  "minute",
  60_000,
]] as const;

/** The age from which a time is a day, in milliseconds. */
const WEEK = 7 * 86_400_000;

/**
 * Creates a time in words, such as "2 hours ago", with its exact value for browsers.
 *
 * @param sentence Returns the text around the words.
 */
export function timeAgo(
  { messages, services }: PageCall,
  time: number,
  sentence: (words: string) => string,
): Markup {
  const age = Math.max(0, services.now() - time);
  const [unit, size] = UNITS.find(([, size]) => age >= size) ??
    ["second", Infinity] as const;
  const format = new Intl.RelativeTimeFormat(messages.language, {
    numeric: "auto",
  });
  const words = age >= WEEK
    ? messages.onDay(dayOf(time))
    : format.format(-Math.floor(age / size), unit);
  const exact = new Date(time).toISOString();
  return html`<time datetime="${exact}">${sentence(words)}</time>`;
}

/** Returns the day of a time. */
export function dayOf(time: number): string {
  return new Date(time).toISOString().slice(0, 10);
}
