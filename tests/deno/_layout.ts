import type { Page } from "npm:playwright-core@1.56.1";

/** A script that returns the faults in the layout of a page. */
const FAULTS = `(() => {
  const faults = [];
  const isVisible = (one) => one.checkVisibility() && one.offsetWidth > 1;
  const all = (selector) => [...document.querySelectorAll(selector)]
    .filter(isVisible);
  const textOf = (one) => one.innerText.trim().slice(0, 30);
  if (document.documentElement.scrollWidth > innerWidth) {
    faults.push("the page is wider than the window");
  }
  for (const box of all("input[type=checkbox], input[type=radio]")) {
    const { bottom, top, width } = box.getBoundingClientRect();
    if (width > 40) faults.push("a check box is " + width + " px wide");
    const content = document.createRange();
    if (box.labels[0]) content.selectNodeContents(box.labels[0]);
    const label = box.labels[0] && content.getBoundingClientRect();
    if (!label) faults.push("a check box has no label");
    else if (label.height > 60) {
      faults.push("the label of a check box is " + label.height + " px high");
    } else if (label.top > bottom || label.bottom < top) {
      faults.push("the label of a check box is not next to it");
    }
  }
  const buttons = all("button, a.button").map((one) =>
    [textOf(one), one.getBoundingClientRect()]
  );
  buttons.forEach(([name, one], index) => {
    for (const [other, two] of buttons.slice(index + 1)) {
      const x = Math.max(one.left - two.right, two.left - one.right);
      const y = Math.max(one.top - two.bottom, two.top - one.bottom);
      if (Math.max(x, y) < 4) faults.push(name + " touches " + other);
    }
  });
  for (const list of all("nav ul")) {
    const links = [...list.children].map((one) => one.querySelector("a"));
    const tops = links.filter(Boolean).filter(isVisible)
      .map((one) => Math.round(one.getBoundingClientRect().top / 8));
    const rows = new Set(tops).size;
    if (rows > 2 && innerWidth < 800) faults.push("a menu has " + rows + " rows");
  }
  for (const one of all("main p, main li, main label, main h1, main h2")) {
    const [found] = /[a-z,;] (?:Access tokens?|API Keys?)\\b/
      .exec(one.textContent) ?? [];
    if (found) faults.push('capitals in "' + found + '"');
  }
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (texts.nextNode()) {
    const text = texts.currentNode;
    if (!text.parentElement.closest("main") || !isVisible(text.parentElement)) continue;
    // Longer addresses may break, because no line of a phone has space for them.
    for (const { 0: word, index } of text.data.matchAll(/\\S*[@\\d]\\S*/g)) {
      const range = document.createRange();
      range.setStart(text, index);
      range.setEnd(text, index + word.length);
      const tops = [...range.getClientRects()].map(({ top }) => Math.round(top));
      if (word.length <= 25 && new Set(tops).size > 1) {
        faults.push(word + " breaks into two lines");
      }
    }
  }
  for (const link of all("a[href]")) {
    if (link.pathname.endsWith(".md")) faults.push(textOf(link) + " is Markdown");
  }
  return faults;
})()`;

/** Returns the faults in the layout of a page: names, sizes and distances. */
export async function layoutFaults(page: Page): Promise<string[]> {
  return await page.evaluate(FAULTS);
}
