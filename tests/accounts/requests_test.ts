/** Bodies of requests, and responses of forms and scripts. */
import { assertEquals, assertStringIncludes } from "@std/assert";
import { PASSWORD, startAccounts, tokenOf } from "./_accounts.ts";

const email = "ada@example.com";
const login = { email, password: PASSWORD };

/** Returns JSON with a login, and a length. */
function padded(length: number): string {
  const text = JSON.stringify({ ...login, pad: "" });
  return text.replace('"pad":"', `"pad":"${"x".repeat(length - text.length)}`);
}

const bodies: [title: string, body: string, status: number][] = [
  ["a login", JSON.stringify(login), 200],
  ["65,536 bytes", padded(65_536), 200],
  ["65,537 bytes", padded(65_537), 413],
  ["no JSON", "email=x", 400],
  ["nothing", "", 400],
  ["null", "null", 400],
  ["an array", "[1]", 400],
  ["a string", '"x"', 400],
  ["an empty object", "{}", 422],
];

for (const [title, body, status] of bodies) {
  Deno.test(`a script that sends ${title} gets a ${status}`, async () => {
    const { browser, registered } = startAccounts();
    await registered();
    const response = await browser().client.fetch("/login", {
      method: "POST",
      headers: { "Content-Type": "application/json; charset=utf-8" },
      body,
    });
    assertEquals(response.status, status);
    const control = response.headers.get("Cache-Control") ?? "";
    assertStringIncludes(control, "no-store");
  });
}

Deno.test("of two inputs with one name, the first one counts", async () => {
  const { browser, registered } = startAccounts();
  await registered();
  for (const isFirst of [true, false]) {
    const body = new URLSearchParams({ password: PASSWORD });
    body.append("email", isFirst ? email : "eve@example.com");
    body.append("email", isFirst ? "eve@example.com" : email);
    const init = { method: "POST", body };
    const { status } = await browser().client.fetch("/login", init);
    assertEquals(status, isFirst ? 303 : 422);
  }
});

Deno.test("the message of a form is on the next page, once, and keeps the page to return to", async () => {
  const { browser, lastMail, registered } = startAccounts();
  const ada = await registered();
  await ada.post("/account", { name: "Ada L." });
  const read = async (path: string) => await (await ada.get(path)).text();
  assertStringIncludes(await read("/account"), "changes are saved");
  assertEquals((await read("/account")).includes("changes are saved"), false);
  const owner = browser();
  const asked = await owner.post("/login/reset?returnTo=%2Ffresh", { email });
  const next = "/login/reset?returnTo=%2Ffresh&notice=sent";
  assertEquals(asked.headers.get("Location"), next);
  const token = tokenOf(await lastMail(email));
  const password = "another horse battery";
  const reset = await owner.post("/login/reset/link", { token, password });
  const location = reset.headers.get("Location")!;
  assertEquals(location, "/login?returnTo=%2Ffresh&notice=reset");
  const page = await (await owner.get(location)).text();
  assertStringIncludes(page, "Your password was changed");
});

Deno.test("a form with errors keeps its values, but none of its secrets", async () => {
  const { registered, browser } = startAccounts();
  await registered();
  const values = { email: "a<b", name: "Bob & Co", password: "s3cret!" };
  const page = await browser().post("/register", values);
  assertEquals(page.status, 422);
  const text = await page.text();
  for (const shown of ["a&lt;b", "Bob &amp; Co"]) {
    assertStringIncludes(text, `value="${shown}"`);
  }
  assertEquals(text.includes("s3cret!"), false);
});
