import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { PASSWORD, startAccounts } from "../_accounts.ts";

const email = "ada@example.com";

Deno.test("a login goes to the page that asked for it", async () => {
  const { browser, registered } = startAccounts();
  await registered();
  const ada = browser();
  const guard = await ada.get("/?tab=1");
  assertEquals(guard.headers.get("Location"), "/login?returnTo=%2F%3Ftab%3D1");
  const page = await (await ada.get("/login?returnTo=%2F%3Ftab%3D1")).text();
  assertStringIncludes(page, 'action="/login?returnTo=%2F%3Ftab%3D1"');
  const values = { email: " Ada@EXAMPLE.com", password: PASSWORD };
  const login = await ada.post("/login?returnTo=%2F%3Ftab%3D1", values);
  assertEquals(login.status, 303);
  assertEquals(login.headers.get("Location"), "/?tab=1");
  assertEquals(await ada.isLoggedIn(), true);
  assertEquals((await ada.get("/login")).headers.get("Location"), "/");
});

Deno.test("a login never leads to another site", async () => {
  const { browser, registered } = startAccounts();
  await registered();
  for (const target of ["//evil.example", "https://evil.example", "/\t/evil"]) {
    const returnTo = encodeURIComponent(target);
    const path = `/login?returnTo=${returnTo}`;
    const login = await browser().post(path, { email, password: PASSWORD });
    assertEquals(login.headers.get("Location"), "/");
  }
});

Deno.test("a wrong password and an unknown address get the same response", async () => {
  const { browser, registered } = startAccounts();
  await registered();
  const bodies: string[] = [];
  for (const address of [email, "eve@example.com"]) {
    const values = { email: address, password: "wrong horse battery" };
    const page = await browser().post("/login", values);
    assertEquals(page.status, 422);
    bodies.push((await page.text()).replaceAll(address, ""));
    const json = await browser().send("/login", values);
    assertEquals(json.status, 422);
    bodies.push(await json.text());
  }
  assertEquals(bodies[0], bodies[2]);
  assertEquals(bodies[1], bodies[3]);
});

Deno.test("guesses are throttled with Retry-After, and the owner is not", async () => {
  const { browser, registered } = startAccounts();
  const ada = await registered();
  const eve = browser();
  const statuses: number[] = [];
  for (let n = 0; n < 6; n++) {
    const guess = await eve.post("/login", {
      email,
      password: `guess ${n} of 6`,
    });
    statuses.push(guess.status);
    if (guess.status === 429) assert(guess.headers.has("Retry-After"));
  }
  assertEquals(statuses, [422, 422, 422, 422, 422, 429]);
  await ada.post("/login/out");
  const login = await ada.post("/login", { email, password: PASSWORD });
  assertEquals(login.status, 303);
});

Deno.test("a logout ends the session on the server", async () => {
  const { registered } = startAccounts();
  const ada = await registered();
  const copy = new Map(ada.client.cookies);
  const response = await ada.post("/login/out");
  assertEquals(response.headers.get("Location"), "/login?notice=logged-out");
  const page = await (await ada.get("/login?notice=logged-out")).text();
  assertStringIncludes(page, "You are logged out.");
  for (const [name, value] of copy) {
    (ada.client.cookies as Map<string, string>).set(name, value);
  }
  assertEquals(await ada.isLoggedIn(), false);
});

Deno.test("a remembered login outlives the browser", async () => {
  const { accounts, browser, registered } = startAccounts();
  await registered();
  const [remembered, other] = [browser(), browser()];
  const values = { email, password: PASSWORD };
  const login = await remembered.post("/login", { ...values, remember: "on" });
  assertStringIncludes(login.headers.getSetCookie().join(), "Max-Age=2592000");
  await other.post("/login", values);
  accounts.wait(24 * 3_600_000);
  assertEquals(await remembered.isLoggedIn(), true);
  assertEquals(await other.isLoggedIn(), false);
});

Deno.test("a sensitive page asks for the password again after ten minutes", async () => {
  const { accounts, registered } = startAccounts();
  const ada = await registered();
  assertEquals((await ada.get("/fresh")).status, 200);
  accounts.wait(11 * 60_000);
  const stale = await ada.get("/fresh");
  assertEquals(
    stale.headers.get("Location"),
    "/account/confirm?returnTo=%2Ffresh",
  );
  const script = await ada.get("/fresh", { Accept: "application/json" });
  assertEquals(script.status, 401);
  const path = "/account/confirm?returnTo=%2Ffresh";
  const wrong = await ada.post(path, { password: "wrong" });
  assertEquals(wrong.status, 422);
  // The address of the form does not count.
  const other = { email: "eve@example.com", password: PASSWORD };
  const confirmed = await ada.post(path, other);
  assertEquals(confirmed.headers.get("Location"), "/fresh");
  assertEquals((await ada.get("/fresh")).status, 200);
});
