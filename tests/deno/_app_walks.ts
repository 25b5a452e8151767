/** User journeys through the example application, for every runtime. */
import { assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { generateTOTP } from "@gatehouse/web/auth/second-factor";
import type { Cookie, Page } from "npm:playwright-core@1.56.1";
import type { AppProcess } from "./_app_servers.ts";
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
    name: "registering with each invalid field shows its message",
    run: eachInvalidField,
  },
  {
    name: "registering with an existing address shows its message",
    run: takenAddress,
  },
  {
    name: "register, log out, log in with the wrong and the correct password",
    run: passwordLogin,
  },
  {
    name: "a page that requires a login is shown after it (returnTo)",
    run: returnTo,
  },
  {
    name: "external login uses the provider's page",
    run: externalLogin,
  },
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
    name: "an admin names an editor, who publishes, and logs them out",
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

const invalid = {
  "Name": ["", "Name is required"],
  "Email": ["ada", "Invalid email address"],
  "Password": ["short", "Password must be at least 8 characters"],
  "Password, once more": ["something else", "Passwords do not match"],
} as const;

async function eachInvalidField({ open, page, send }: Walk): Promise<void> {
  for (const [label, [value, message]] of Object.entries(invalid)) {
    await open("/register");
    const fields: Record<string, string> = { ...newPerson(), [label]: value };
    if (label === "Password") fields["Password, once more"] = value;

    assertEquals(await send("Register", fields), 422);

    const field = page.getByLabel(label, { exact: true });
    assertEquals(await field.getAttribute("aria-invalid"), "true");
    const ids = (await field.getAttribute("aria-describedby"))!.split(" ");
    const description = page.locator(`#${ids.at(-1)}`);
    assertEquals(await description.innerText(), message);
    // The form keeps the entered values except passwords.
    const name = page.getByLabel("Name", { exact: true });
    assertEquals(await name.inputValue(), fields["Name"]);
    const password = page.getByLabel("Password", { exact: true });
    assertEquals(await password.inputValue(), "");
  }
}

async function takenAddress({ app, open, page, send }: Walk<AppProcess>) {
  await open("/register");
  const person = { ...newPerson(), "Email": app.admin.email.toUpperCase() };
  assertEquals(await send("Register", person), 422);
  assertEquals(
    await page.locator("#email-error").innerText(),
    "An account with this email already exists.",
  );
}

async function passwordLogin(
  { follow, open, page, path, send }: Walk,
): Promise<void> {
  const { Email, ...rest } = newPerson();
  await open("/register");
  assertEquals(await send("Register", { Email, ...rest }), 200);
  assertEquals(path(), "/");
  assertMatch(await page.getByRole("status").innerText(), /^Welcome, Ada\. /);

  await follow(page.getByRole("button", { name: "Log out" }));
  assertEquals(
    await page.getByRole("status").innerText(),
    "You are logged out",
  );
  await follow(page.getByRole("link", { name: "Log in" }).first());
  assertEquals(await send("Log in", { Email, Password: "wrong one" }), 422);
  assertEquals(
    await page.getByRole("alert").innerText(),
    "Invalid email or password",
  );
  assertEquals(await page.getByLabel("Email").inputValue(), Email);
  assertEquals(await page.getByLabel("Password").inputValue(), "");

  assertEquals(await send("Log in", { Password: PASSWORD }), 200);
  assertEquals(path(), "/");
  assertEquals(
    await page.getByRole("status").innerText(),
    "You are logged in, Ada",
  );

  await open("/account/sessions");
  const [own] = await page.getByRole("listitem")
    .filter({ hasText: "this browser" }).allInnerTexts();
  assertStringIncludes(own, "From 127.0.0.1.");
}

async function returnTo(
  { follow, open, page, path, send }: Walk,
): Promise<void> {
  const person = newPerson();
  await open("/register");
  await send("Register", person);
  await follow(page.getByRole("button", { name: "Log out" }));

  await open("/account/keys?from=mail");
  const login = "/login?returnTo=%2Faccount%2Fkeys%3Ffrom%3Dmail";
  assertEquals(path(), login);
  await send("Log in", { Email: person.Email, Password: "wrong one" });
  assertEquals(path(), login);
  await send("Log in", { Password: PASSWORD });

  assertEquals(path(), "/account/keys?from=mail");
  assertEquals(await heading({ page }), "API keys");

  // Links to other sites are ignored.
  await follow(page.getByRole("button", { name: "Log out" }));
  await open("/login?returnTo=%2F%2Fevil.example");
  await send("Log in", { Email: person.Email, Password: PASSWORD });
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
  { follow, open, page, path }: Walk,
): Promise<void> {
  await open("/account");
  await follow(page.getByRole("link", { name: "Log in with Demo provider" }));
  const cancel = page.getByRole("button", { name: "Cancel" });
  assertEquals(await follow(cancel), 200);
  assertEquals(path(), "/login?returnTo=%2Faccount");
  assertEquals(await page.getByRole("alert").count(), 0);
}

async function linkedLogin(
  { follow, open, page, path, send }: Walk,
): Promise<void> {
  // Edith's address belongs to another account here.
  await open("/auth/demo");
  if (path() === "/auth/demo") await open("/auth/oidc");
  await follow(page.getByRole("button", { name: "Edith Demo" }));
  const title = "An account with this email already exists";
  assertEquals(await heading({ page }), title);

  await open("/register");
  await send("Register", newPerson());
  await open("/account/logins");
  await follow(page.getByRole("button", { name: "Link Demo provider" }));
  await follow(page.getByRole("button", { name: "Edith Demo" }));

  assertEquals(path(), "/account/logins");
  await page.getByRole("button", { name: "Unlink Demo provider" }).waitFor();
}

async function adminOnly({ open, page, path, send }: Walk): Promise<void> {
  assertEquals(await open("/admin"), 200);
  assertEquals(path(), "/login?returnTo=%2Fadmin");

  await open("/register");
  await send("Register", newPerson());
  assertEquals(await open("/admin"), 403);
  assertEquals(await heading({ page }), "Forbidden");
  assertEquals(await page.getByRole("link", { name: "Admin" }).count(), 0);
  assertEquals(await open("/editor/new"), 403);
}

async function editor(walk: Walk<AppProcess>): Promise<void> {
  const { app, follow, open, page, path, send } = walk;
  const name = `Ada ${crypto.randomUUID()}`;
  await open("/register");
  await send("Register", { ...newPerson(), "Name": name });
  const own = await swapCookies(page);
  await open("/login?returnTo=%2Fadmin");
  const { email, password } = app.admin;
  await send("Log in", { Email: email, Password: password });
  assertEquals(await heading({ page }), "Users");
  await page.getByLabel(`Role of ${name}`, { exact: true })
    .selectOption("editor");
  await send(`Save the role of ${name}`);
  const message = await page.getByRole("status").innerText();
  assertEquals(message, `${name} is now editor`);
  await follow(page.getByRole("link", { name: "Audit log" }));
  const record = page.getByRole("listitem").filter({ hasText: name })
    .filter({ hasText: "role-change" });
  assertStringIncludes(await record.innerText(), `changed ${name}, editor`);

  const admin = await swapCookies(page, own);
  await open("/editor/new");
  const title = `Tea <b>at</b> ${name}`;
  await send("Publish", { "Title": title, "Text": "All welcome" });
  await follow(page.getByRole("link", { name: "Notices" }));
  const titles = page.getByRole("heading", { level: 2 });
  assertStringIncludes((await titles.allInnerTexts()).join("\n"), title);

  await swapCookies(page, admin);
  await open("/admin");
  await send(`Log out ${name} everywhere`);
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

async function apiKey({ app, open, page, path, send }: Walk): Promise<void> {
  await open("/register");
  await send("Register", newPerson());
  await open("/account/keys");
  assertEquals(await send("Create API key", { "Name": "Backup" }), 200);
  assertEquals(path(), "/account/keys/new");

  const key = await page.locator("#secret").innerText();
  assertMatch(key, /^board_key_/);
  await open("/account/keys/new");
  assertEquals(await page.locator("#secret").innerText(), key);
  // The button needs JavaScript, which is disabled here.
  assertEquals(await page.getByRole("button", { name: "Copy" }).count(), 0);
  const call = () =>
    fetch(`${app.baseURL}/api/me`, { headers: { "X-API-Key": key } });
  const before = await call();
  assertEquals(before.status, 200);
  assertEquals((await before.json()).role, "api");

  await send("Done");
  assertEquals(path(), "/account/keys");
  assertEquals(await page.locator("#secret").count(), 0);
  await open("/account/keys/new");
  assertEquals(path(), "/account/keys");
  await send("Revoke Backup");
  const after = await call();
  assertEquals([after.status, await after.text()], [401, "Unauthorized"]);
}

async function secondFactor(
  { follow, open, page, path, send }: Walk<AppProcess>,
): Promise<void> {
  const person = newPerson();
  await open("/register");
  await send("Register", person);
  await open("/account/security");
  await follow(page.getByRole("link", { name: "Set up an app" }));
  await page.getByRole("img", { name: /^QR code/ }).waitFor();
  const secret = await page.locator("#totp-secret").innerText();
  const code = await generateTOTP(secret.replaceAll(" ", ""));
  assertEquals(await send("Finish", { "Code": code }), 200);
  const codes = await page.locator("#recovery-codes code").allInnerTexts();
  assertEquals(codes.length, 10);

  await follow(page.getByRole("button", { name: "Log out" }));
  await open("/login?returnTo=%2Faccount%2Fsecurity");
  const { Email } = person;
  await send("Log in", { Email, Password: PASSWORD });
  assertEquals(path(), "/login/code");
  // The code of the set-up was used.
  assertEquals(await send("Log in", { "Code": code }), 422);
  await open("/account");
  assertEquals(path(), "/login?returnTo=%2Faccount");
  await open("/login/code");
  await page.getByLabel("Remember this browser for 30 days").check();
  await send("Log in", { "Code": codes[0]! });
  assertEquals(path(), "/account/security");
  const main = await page.getByRole("main").innerText();
  assertStringIncludes(main, "You have 9 recovery codes left");

  await follow(page.getByRole("button", { name: "Log out" }));
  await open("/login");
  await send("Log in", { Email, Password: PASSWORD });
  assertEquals(path(), "/");
  await open("/account/security");
  await send("Forget");
  await follow(page.getByRole("button", { name: "Log out" }));
  await open("/login");
  await send("Log in", { Email, Password: PASSWORD });
  assertEquals(path(), "/login/code");
}

async function emailLogin(walk: Walk<AppProcess>): Promise<void> {
  const { app, follow, open, page, path, send } = walk;
  const person = newPerson();
  await open("/register");
  await send("Register", person);
  const proof = await mailTo(app, person.Email, "Verify your address");
  await open("/account/email");
  assertEquals(await send("Verify", { "Code": proof.code }), 200);
  const message = await page.getByRole("status").innerText();
  assertEquals(message, "Your address is verified");

  await follow(page.getByRole("button", { name: "Log out" }));
  await open("/login/email");
  await send("Send the email", { "Email": person.Email });
  assertEquals(path(), "/login/email/code");
  const mail = await mailTo(app, person.Email, "Log in to");
  const own = await swapCookies(page);
  await open(mail.path);
  assertEquals(await heading({ page }), "Your code");
  assertEquals(await page.locator(".code").innerText(), mail.code);

  await swapCookies(page, own);
  await open(mail.path);
  assertEquals(await send("Log in"), 200);
  assertEquals(path(), "/");
  assertEquals(
    await page.getByRole("status").innerText(),
    "You are logged in, Ada",
  );
  assertEquals(await open(mail.path), 410);
}

/** Reads an email that the application printed. */
async function mailTo(
  app: AppProcess,
  email: string,
  subject: string,
): Promise<{ code: string; path: string }> {
  return await until(() => {
    const mails = app.output().split("Email to ");
    const mail = mails.findLast((one) =>
      one.startsWith(email) && one.includes(subject)
    );
    const [url] = mail?.match(/http\S+/) ?? [];
    const [, code] = mail?.match(/: (\d{6})$/m) ?? [];
    if (url === undefined || code === undefined) return undefined;
    const { pathname, search } = new URL(url);
    return { code, path: pathname + search };
  });
}

/** Returns the main heading. */
function heading({ page }: Pick<Walk, "page">): Promise<string> {
  return page.getByRole("heading", { level: 1 }).innerText();
}

/** Creates the fields of a new account for the form of `/register`. */
function newPerson() {
  return {
    "Name": "Ada",
    "Email": `ada-${crypto.randomUUID()}@example.com`,
    "Password": PASSWORD,
    "Password, once more": PASSWORD,
  };
}
