/** User journeys through the example application, for every runtime. */
import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { generateTOTP } from "@gatehouse/web/auth/second-factor";
import type { Cookie, Page } from "npm:playwright-core@1.56.1";
import type { AppProcess, ServedApp } from "./_app_servers.ts";
import type { Walk } from "./_chromium.ts";
import { until } from "../_wait.ts";

/** A user journey. */
export interface AppWalk {
  readonly name: string;
  readonly run: (walk: Walk<AppProcess>) => Promise<void>;
}

const PASSWORD = "correct horse battery";

/** The journeys. Each needs a browser without cookies; the order does not matter. */
export const APP_WALKS: readonly AppWalk[] = [
  {
    name: "register, log out, log in with the wrong and the correct password",
    run: passwordLogin,
  },
  {
    name: "a page that requires a login is shown after it (returnTo)",
    run: returnTo,
  },
  { name: "a forgotten password is replaced by an emailed link", run: reset },
  { name: "external login uses the provider's page", run: externalLogin },
  {
    name: "a canceled external login leads back to the login page",
    run: canceledLogin,
  },
  { name: "a login is linked on the account page", run: linkedLogin },
  {
    name:
      "the admin page is forbidden to a user without a redirect to the login",
    run: adminOnly,
  },
  {
    name: "an admin names an editor, who publishes, and ends their access",
    run: editor,
  },
  {
    name: "an API key is created, shown once, and calls the API",
    run: apiKey,
  },
  {
    name: "a login needs a code after an authenticator app was set up",
    run: secondFactor,
  },
  {
    name: "a login by email, and the page of its link in another browser",
    run: emailLogin,
  },
];

/** A user of the walks. */
interface Person {
  readonly Name: string;
  readonly Email: string;
}

/** Registers a new person, with the code of the email. */
async function register(
  { app, open, path, send }: Walk<AppProcess>,
  name = "Ada",
): Promise<Person> {
  const person = {
    "Name": name,
    "Email": `ada-${crypto.randomUUID()}@example.com`,
  };
  await open("/register");
  const status = await send("Register", { ...person, "Password": PASSWORD });
  assertEquals([status, path()], [200, "/register/code"]);
  const { code } = await mailTo(app, person.Email);
  assertEquals(await send("Continue", { "Code": code }), 200);
  assertEquals(path(), "/");
  return person;
}

async function logOut({ follow, page }: Walk<AppProcess>): Promise<void> {
  await follow(page.getByRole("button", { name: "Log out" }));
}

async function passwordLogin(walk: Walk<AppProcess>): Promise<void> {
  const { follow, open, page, path, send } = walk;
  const { Email } = await register(walk);
  await logOut(walk);
  assertEquals(
    await page.getByRole("status").innerText(),
    "You are logged out.",
  );
  await follow(page.getByRole("link", { name: "Log in" }).first());
  assertEquals(await send("Log in", { Email, Password: "wrong one" }), 422);
  assertStringIncludes(
    await page.getByRole("alert").innerText(),
    "Invalid email or password",
  );
  assertEquals(await page.getByLabel("Email").inputValue(), Email);
  assertEquals(await page.getByLabel("Password").inputValue(), "");

  assertEquals(await send("Log in", { Password: PASSWORD }), 200);
  assertEquals(path(), "/");
  await open("/account/sessions");
  const sessions = page.getByRole("main").getByRole("listitem");
  await sessions.filter({ hasText: "This browser" }).waitFor();
}

async function returnTo(walk: Walk<AppProcess>): Promise<void> {
  const { open, page, path, send } = walk;
  const { Email } = await register(walk);
  await logOut(walk);

  await open("/account/keys?from=mail");
  const login = "/login?returnTo=%2Faccount%2Fkeys%3Ffrom%3Dmail";
  assertEquals(path(), login);
  await send("Log in", { Email, Password: "wrong one" });
  assertEquals(path(), login);
  await send("Log in", { Password: PASSWORD });

  assertEquals(path(), "/account/keys?from=mail");
  assertEquals(await heading({ page }), "API keys");
  assertEquals(
    await page.getByRole("status").innerText(),
    "You are logged in, Ada.",
  );

  // Links to other sites are ignored.
  await logOut(walk);
  await open("/login?returnTo=%2F%2Fevil.example");
  await send("Log in", { Email, Password: PASSWORD });
  assertEquals(path(), "/");
}

async function reset(walk: Walk<AppProcess>): Promise<void> {
  const { app, follow, open, page, path, send } = walk;
  const { Email } = await register(walk);
  await logOut(walk);
  await open("/login");
  await follow(page.getByRole("link", { name: "Forgot your password?" }));
  assertEquals(await send("Send the link", { Email }), 200);
  await open((await mailTo(app, Email, "new password")).path);
  const weak = { "New password": "12345678" };
  assertEquals(await send("Change password", weak), 422);
  const field = page.getByLabel("New password");
  assertEquals(await field.getAttribute("aria-invalid"), "true");
  const next = "another horse battery";
  assertEquals(await send("Change password", { "New password": next }), 200);
  assertEquals(await send("Log in", { Email, Password: next }), 200);
  assertEquals(path(), "/");
}

async function externalLogin(
  { app, follow, open, page, path }: Walk,
): Promise<void> {
  await open("/account");
  await follow(page.getByRole("link", { name: "Log in with Demo provider" }));
  assertEquals(new URL(page.url()).origin, app.issuer);
  assertEquals(
    await page.title(),
    "Choose who you are – Demo identity provider",
  );

  await follow(page.getByRole("button", { name: "Ada Demo" }));

  assertEquals(new URL(page.url()).origin, app.baseURL);
  assertEquals(path(), "/account");
  assertEquals(await page.getByLabel("Name").inputValue(), "Ada Demo");
}

async function canceledLogin(
  { app, follow, open, page }: Walk,
): Promise<void> {
  await open("/account");
  await follow(page.getByRole("link", { name: "Log in with Demo provider" }));
  const cancel = page.getByRole("button", { name: "Cancel" });
  assertEquals(await follow(cancel), 422);
  assertEquals(new URL(page.url()).origin, app.baseURL);
  const alert = await page.getByRole("alert").innerText();
  assertStringIncludes(alert, "You cancelled the login at the provider.");
}

async function linkedLogin(walk: Walk<AppProcess>): Promise<void> {
  const { follow, open, page, path } = walk;
  // Edith's address belongs to another account here.
  await open("/login");
  await follow(page.getByRole("link", { name: "Log in with Demo provider" }));
  const edith = page.getByRole("button", { name: "Edith Demo" });
  assertEquals(await follow(edith), 422);
  const alert = await page.getByRole("alert").innerText();
  assertStringIncludes(alert, "Your address already has an account");

  await register(walk);
  await open("/account/logins");
  await page.getByRole("button", { name: "Link Demo provider" }).click();
  // The page in between leads on without a script.
  await edith.click();
  await page.waitForURL("**/account/logins");
  assertEquals(path(), "/account/logins");
  await page.getByRole("button", { name: /^Remove Demo provider/ }).waitFor();
}

async function adminOnly(walk: Walk<AppProcess>): Promise<void> {
  const { open, page } = walk;
  assertEquals(await open("/admin"), 200);
  assertEquals(await heading({ page }), "Log in to Noticeboard");

  await register(walk);
  assertEquals(await open("/admin"), 403);
  assertEquals(await heading({ page }), "Forbidden");
  assertEquals(await page.getByRole("link", { name: "Admin" }).count(), 0);
  assertEquals(await open("/editor/new"), 403);
}

async function editor(walk: Walk<AppProcess>): Promise<void> {
  const { app, follow, open, page, path, send } = walk;
  const name = `Ada ${crypto.randomUUID()}`;
  await register(walk, name);
  const own = await swapCookies(page);
  await open("/login?returnTo=%2Fadmin");
  const { email, password } = app.admin;
  await send("Log in", { Email: email, Password: password });
  assertEquals(await heading({ page }), "Accounts");
  const view = page.getByRole("link", { name: `View ${name}` });
  await follow(view);
  const account = path();
  await page.getByLabel("Role").selectOption("editor");
  await send("Change the role");
  await follow(page.getByRole("link", { name: "Audit log" }).last());
  const entry = page.getByRole("main").getByRole("listitem")
    .filter({ hasText: "editor" });
  assertStringIncludes(await entry.innerText(), "role");

  const admin = await swapCookies(page, own);
  await open("/editor/new");
  const title = `Tea <b>at</b> ${name}`;
  await send("Publish", { "Title": title, "Text": "All welcome" });
  await follow(page.getByRole("link", { name: "Notices" }));
  const titles = page.getByRole("heading", { level: 2 });
  assertStringIncludes((await titles.allInnerTexts()).join("\n"), title);

  await swapCookies(page, admin);
  await open(account);
  await send("End all access");
  await swapCookies(page, own);
  await open("/editor/new");
  assertEquals(path(), "/login?returnTo=%2Feditor%2Fnew");
}

/** Removes the cookies of the browser and returns them. */
async function swapCookies(page: Page, cookies: Cookie[] = []) {
  const context = page.context();
  const before = await context.cookies();
  await context.clearCookies();
  await context.addCookies(cookies);
  return before;
}

async function apiKey(walk: Walk<AppProcess>): Promise<void> {
  const { app, follow, open, page, path, send } = walk;
  await register(walk);
  await open("/account/keys");
  await page.getByLabel("notices:read").check();
  assertEquals(await send("Create an API key", { "Name": "Backup" }), 200);

  const key = await page.getByLabel("API key").inputValue();
  assert(/^board_key_\w+$/.test(key), key);
  const call = () =>
    fetch(`${app.baseURL}/api/me`, {
      headers: { Authorization: `Bearer ${key}` },
    });
  const before = await call();
  assertEquals(before.status, 200);
  assertEquals((await before.json()).scopes, ["notices:read"]);

  await follow(page.getByRole("link", { name: "Done" }));
  assertEquals(path(), "/account/keys");
  assertEquals((await page.content()).includes(key), false);
  await follow(page.getByRole("link", { name: "Revoke Backup" }));
  await send("Revoke");
  const after = await call();
  assertEquals([after.status, await after.text()], [401, "Unauthorized"]);
}

async function secondFactor(walk: Walk<AppProcess>): Promise<void> {
  const { open, page, path, send } = walk;
  const { Email } = await register(walk);
  await open("/account/two-step");
  const secret = await page.locator(".key").innerText();
  const code = await generateTOTP(secret.replaceAll(" ", ""));
  assertEquals(await send("Turn on", { "Code": code }), 200);
  const codes = await page.locator(".codes li").allInnerTexts();
  assertEquals(codes.length, 10);

  await logOut(walk);
  await open("/login?returnTo=%2Faccount%2Ftwo-step");
  await send("Log in", { Email, Password: PASSWORD });
  const codePage = "/login/code?returnTo=%2Faccount%2Ftwo-step";
  assertEquals(path(), codePage);
  // The code of the set-up was used.
  assertEquals(await send("Log in", { "Code": code }), 422);
  await open("/account");
  assertEquals(path(), "/login?returnTo=%2Faccount");
  await open(codePage);
  await page.getByLabel("Remember this browser for 30 days").check();
  await send("Log in", { "Code": codes[0]! });
  assertEquals(path(), "/account/two-step");
  const main = await page.getByRole("main").innerText();
  assertStringIncludes(main, "Unused recovery codes: 9");

  await logOut(walk);
  await open("/login");
  await send("Log in", { Email, Password: PASSWORD });
  assertEquals(path(), "/");
  await open("/account/two-step");
  await send("Forget");
  await logOut(walk);
  await open("/login");
  await send("Log in", { Email, Password: PASSWORD });
  assertEquals(path(), "/login/code");
}

async function emailLogin(walk: Walk<AppProcess>): Promise<void> {
  const { app, open, page, path, send } = walk;
  const { Email } = await register(walk);
  await logOut(walk);
  await open("/login/email");
  await send("Send the code", { Email });
  assertEquals(path(), "/login/email/code");
  const mail = await mailTo(app, Email, "Log in to");
  const own = await swapCookies(page);
  await open(mail.path);
  assertEquals(await heading({ page }), "Your code");
  assertEquals(await page.locator(".secret").innerText(), mail.code);

  await swapCookies(page, own);
  await open(mail.path);
  assertEquals(await send("Continue"), 200);
  assertEquals(path(), "/");
  await page.getByRole("button", { name: "Log out" }).waitFor();
  assertEquals(await open(mail.path), 400);
}

/** Reads the latest email to an address in the outbox. */
export async function mailTo(
  { baseURL }: ServedApp,
  email: string,
  subject = "",
): Promise<{ code: string; path: string }> {
  return await until(async () => {
    const page = await (await fetch(`${baseURL}/outbox`)).text();
    const mail = page.split("<article>").find((one) =>
      one.includes(`To ${email}`) && one.includes(subject)
    );
    if (mail === undefined) return undefined;
    const [url = ""] = /http[^\s<]+/.exec(mail) ?? [];
    const [code = ""] = /^\d{6}$/m.exec(mail) ?? [];
    const { pathname, search } = new URL(url);
    return { code, path: pathname + search };
  });
}

/** Returns the main heading. */
function heading({ page }: Pick<Walk, "page">): Promise<string> {
  return page.getByRole("heading", { level: 1 }).innerText();
}
