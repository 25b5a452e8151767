import { assertEquals, assertStringIncludes } from "@std/assert";
import { PASSWORD, startAccounts } from "../_accounts.ts";

interface Session {
  readonly id: string;
  readonly current: boolean;
}

const email = "ada@example.com";

Deno.test("the sessions of a user are listed in words, and end one by one or all", async () => {
  const { browser, registered } = startAccounts();
  const ada = await registered();
  const firefox = browser({
    "User-Agent": "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Firefox/140.0",
  });
  const other = browser({ "User-Agent": "<script>" });
  const values = { email, password: PASSWORD };
  await firefox.post("/login", values);
  await other.post("/login", values);
  const page = await (await ada.get("/account/sessions")).text();
  assertStringIncludes(page, "Firefox, Linux");
  assertStringIncludes(page, "This browser");
  assertEquals(page.includes("<script>"), false);
  const rows = page.split("<li>");
  const row = rows.find((one) => one.includes("Firefox"))!;
  const [, id = ""] = /name="id" value="([^"]+)"/.exec(row)!;

  const list = await ada.get("/account/sessions", {
    Accept: "application/json",
  });
  const { sessions } = await list.json();
  assertEquals(sessions.length, 3);
  const own = sessions.filter(({ current }: Session) => current);
  assertEquals(own.length, 1);
  const foreign = sessions.find((one: Session) => one.id === id);
  assertStringIncludes(foreign.userAgent, "Firefox/140.0");

  const eve = await registered({ email: "eve@example.com" });
  assertEquals((await eve.post("/account/sessions", { id })).status, 422);
  assertEquals(await firefox.isLoggedIn(), true);
  assertEquals((await ada.post("/account/sessions", { id })).status, 303);
  assertEquals(await firefox.isLoggedIn(), false);
  assertEquals((await ada.post("/account/sessions")).status, 303);
  assertEquals(await other.isLoggedIn(), false);
  assertEquals(await ada.isLoggedIn(), true);
  assertEquals(await eve.isLoggedIn(), true);
});
