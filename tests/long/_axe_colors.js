/**
 * Runs in a page, with axe-core. Two elements have the same style if all that
 * decides about their contrast is the same: their colors and sizes, and the
 * classes, positions and colors of all elements around them.
 */

/** The rules about colors, and the elements that they judge. */
const RULES = [
  { id: "color-contrast", selector: "[data-judge]" },
  { id: "link-in-text-block", selector: "a[href][data-judge]" },
];

/** The elements of each style that is still to be judged, by the style's hash. */
globalThis.stylesToJudge = new Map();

/** Finds the styles of visible text, and returns the number of new ones. */
globalThis.findStyles = async (judged) => {
  const around = new Map();
  const groups = Map.groupBy(elementsWithText(), (element) => {
    const { fontSize, fontWeight, textShadow } = getComputedStyle(element);
    return [fontSize, fontWeight, textShadow]
      .concat(isInText(element), place(element, around)).join();
  });
  for (const [style, elements] of groups) {
    const hash = await sha256(style);
    if (judged.includes(hash)) continue;
    // axe-core does not judge a single character, such as a bracket.
    elements.sort((a, b) => b.textContent.length - a.textContent.length);
    stylesToJudge.set(hash, elements);
  }
  return stylesToJudge.size;
};

/**
 * Judges one element of each style. If axe-core can't judge it, because another
 * element is in front of it, judges all elements of that style.
 */
globalThis.judgeStyles = async () => {
  axe.configure({ rules: RULES });
  const entries = [...stylesToJudge];
  const first = entries.map(([style, [element]]) => [element, style]);
  const { faults, styles, unclear } = await judge(new Map(first));
  const others = entries.flatMap(([style, [, ...elements]]) =>
    unclear.has(style) ? elements.map((element) => [element, style]) : []
  );
  if (others.length === 0) return { faults, styles: [...styles] };
  const more = await judge(new Map(others));
  return {
    faults: [...faults, ...more.faults],
    styles: [...styles, ...more.styles],
  };
};

/** Judges elements, which are the keys. The values are their styles. */
async function judge(chosen) {
  const links = [...chosen.keys()].map((element) => element.closest("a[href]"));
  const marked = [...chosen.keys(), ...links.filter((link) => link !== null)];
  for (const element of marked) element.setAttribute("data-judge", "");
  const found = await axe.run({ include: ["html"] }, {
    runOnly: RULES.map(({ id }) => id),
    elementRef: true,
  });
  for (const element of marked) element.removeAttribute("data-judge");
  const styles = (results) =>
    new Set(
      results.flatMap(({ nodes }) => nodes)
        .map(({ element }) => chosen.get(element))
        .filter((style) => style !== undefined),
    );
  return {
    faults: found.violations.flatMap(({ id, nodes }) =>
      nodes.map(({ html }) => `${id}: ${html}`)
    ),
    styles: styles([...found.violations, ...found.passes]),
    unclear: styles(found.incomplete),
  };
}

function elementsWithText() {
  const found = new Set(document.querySelectorAll("input, select, textarea"));
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (texts.nextNode()) {
    const { data, parentElement } = texts.currentNode;
    if (data.trim() !== "") found.add(parentElement);
  }
  const visible = { opacityProperty: true, visibilityProperty: true };
  return [...found].filter((element) =>
    element.checkVisibility(visible) && !element.closest(".visually-hidden")
  );
}

/** Returns `true` for a link with more text around it than in links. */
function isInText(element) {
  const link = element.closest("a[href]");
  let block = link;
  while (block !== null && getComputedStyle(block).display === "inline") {
    block = block.parentElement;
  }
  if (block === null || block === link) return false;
  const linked = [...block.querySelectorAll("a[href]")]
    .reduce((length, { textContent }) => length + textContent.length, 0);
  return block.textContent.length > 2 * linked;
}

/** Describes an element, and all around it, by what decides about backgrounds. */
function place(element, known) {
  if (element === null) return "";
  const found = known.get(element);
  if (found !== undefined) return found;
  const style = getComputedStyle(element);
  // VitePress gives each page a class such as "_guide_passkeys".
  const classes = [...element.classList].filter((name) => name[0] !== "_");
  const { backgroundColor, backgroundImage, color, opacity } = style;
  const own = [element.tagName, ...classes, style.position]
    .concat(backgroundColor, backgroundImage, color, opacity)
    .concat(style.textDecorationLine);
  const described = `${place(element.parentElement, known)} > ${own.join()}`;
  known.set(element, described);
  return described;
}

async function sha256(text) {
  const bytes = new TextEncoder().encode(text);
  return String(new Uint8Array(await crypto.subtle.digest("SHA-256", bytes)));
}
