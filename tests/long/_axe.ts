/** Checks pages in Chromium with axe-core. */
import axe from "npm:axe-core@4.11.0/axe.min.js" with { type: "text" };
import type { Page } from "npm:playwright-core@1.56.1";
import colors from "./_axe_colors.js" with { type: "text" };

/** A rule that a page breaks, and the elements that break it. */
interface Violation {
  readonly id: string;
  readonly nodes: readonly { readonly html: string }[];
}

/**
 * Returns the faults that axe-core finds: a rule and an element each.
 *
 * @param options The options of `axe.run()`.
 * @param context The parts of the page, as `axe.run()` accepts them.
 */
export async function axeFaults(
  page: Page,
  options: object = {},
  context: object = { include: ["html"] },
): Promise<string[]> {
  // A page's policy may forbid other scripts, so it is not injected as one.
  await page.evaluate(axe);
  // The rest of the report takes a quarter of the time.
  const all = { ...options, resultTypes: ["violations"], selectors: false };
  const run = `axe.run(${JSON.stringify(context)}, ${JSON.stringify(all)})`;
  const { violations } = await page.evaluate<{ violations: Violation[] }>(run);
  return violations.flatMap(({ id, nodes }) =>
    nodes.map(({ html }) => `${id}: ${html}`)
  );
}

/**
 * Checks the colors of text and links in many pages, once for each style. All
 * elements with the same classes, colors and sizes have the same contrast, and
 * axe-core takes most of its time for it.
 */
export class ColorCheck {
  /** The styles that axe-core has judged, as hashes. */
  readonly #judged = new Set<string>();

  /** Returns the faults of a page, with one element of each style. */
  async faults(page: Page): Promise<string[]> {
    await page.evaluate(colors);
    const judged = JSON.stringify([...this.#judged]);
    const open = await page.evaluate<number>(`findStyles(${judged})`);
    if (open === 0) return [];
    await page.evaluate(axe);
    // axe-core can't judge the links of a sidebar that are cut off.
    const size = page.viewportSize()!;
    await page.setViewportSize({ ...size, height: 4000 });
    const { faults, styles } = await page.evaluate<
      { faults: string[]; styles: string[] }
    >("judgeStyles()");
    await page.setViewportSize(size);
    for (const style of styles) this.#judged.add(style);
    return faults;
  }
}
