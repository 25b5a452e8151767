// The page calls the API below /api, with its session cookie.
const find = (selector) => document.querySelector(selector);

async function send(init) {
  const response = await fetch("/api/notes", init);
  find("#login").hidden = response.status !== 401;
  find("#notes").hidden = response.status === 401;
  if (!response.ok) {
    find("#status").textContent = response.status === 401
      ? "You are not logged in."
      : `The request failed: ${response.status}`;
    return;
  }
  const notes = await response.json();
  find("#status").textContent = `${notes.length} notes`;
  find("ul").replaceChildren(...notes.map((text) => {
    const item = document.createElement("li");
    item.textContent = text;
    return item;
  }));
}

find("#add").addEventListener("submit", async (event) => {
  event.preventDefault();
  const form = event.target;
  const { text } = Object.fromEntries(new FormData(form));
  await send({
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify({ text }),
  });
  form.reset();
});

await send();
