/** The script of pages that show a secret: it adds a button that copies it. */
export const copyScript = `const button = document.querySelector("[data-copy]");
const source = document.querySelector(button.dataset.copy);
const status = document.querySelector("#copied");

button.hidden = false;
button.addEventListener("click", async () => {
  try {
    await navigator.clipboard.writeText(source.textContent);
    status.textContent = "Copied";
  } catch {
    getSelection().selectAllChildren(source);
    status.textContent = "Press Ctrl+C or ⌘C to copy";
  }
});
`;
