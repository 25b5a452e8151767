import { assert, assertEquals, assertMatch } from "@std/assert";
import { walk } from "./_chromium.ts";
import { PASSWORD } from "./_example_app.ts";

const valid = {
  "Name": "Ada",
  "Email": "ada@example.com",
  "Password": PASSWORD,
  "Password, once more": PASSWORD,
};

const invalid = {
  "Name": ["", "Name is required"],
  "Email": ["ada", "Invalid email address"],
  "Password": ["short", "Password must be at least 8 characters"],
  "Password, once more": ["something else", "Passwords do not match"],
} as const;

walk(
  "registering with each invalid field shows its message",
  async ({ open, page, send }) => {
    for (const [label, [value, message]] of Object.entries(invalid)) {
      await open("/register");
      const fields: Record<string, string> = { ...valid, [label]: value };
      if (label === "Password") fields["Password, once more"] = value;

      assertEquals(await send("Register", fields), 422);

      const field = page.getByLabel(label, { exact: true });
      assertEquals(await field.getAttribute("aria-invalid"), "true");
      const ids = (await field.getAttribute("aria-describedby"))!.split(" ");
      const description = page.locator(`#${ids.at(-1)}`);
      assertEquals(await description.innerText(), message);
      // What was entered stays, but for passwords.
      const name = page.getByLabel("Name", { exact: true });
      assertEquals(await name.inputValue(), fields["Name"]);
      const password = page.getByLabel("Password", { exact: true });
      assertEquals(await password.inputValue(), "");
    }
  },
);

walk(
  "registering with an address that has an account shows its message",
  async ({ open, page, send }) => {
    await open("/register");
    await send("Register", valid);
    await page.getByRole("button", { name: "Log out" }).click();
    await open("/register");
    assertEquals(await send("Register", valid), 422);
    const message = page.locator("#email-error");
    assertEquals(
      await message.innerText(),
      "An account with this email already exists.",
    );
  },
);

walk(
  "register, log out, log in with the wrong and the right password",
  async ({ open, page, path, send }) => {
    await open("/register");
    assertEquals(await send("Register", valid), 200);
    assertEquals(path(), "/");
    assertEquals(await page.getByRole("status").innerText(), "Welcome, Ada");

    await page.getByRole("button", { name: "Log out" }).click();
    await page.getByRole("link", { name: "Log in" }).first().click();
    const { Email } = valid;
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
      "Welcome back, Ada",
    );
  },
);

walk(
  "a page that needs a login is shown after it (returnTo)",
  async ({ app, open, page, path, send }) => {
    await app.visitor().post("/register", {
      name: "Ada",
      email: valid.Email,
      password: PASSWORD,
      confirmPassword: PASSWORD,
    });

    await open("/account/keys?from=mail");
    assertEquals(path(), "/login?returnTo=%2Faccount%2Fkeys%3Ffrom%3Dmail");
    await send("Log in", { Email: valid.Email, Password: "wrong one" });
    assertEquals(path(), "/login?returnTo=%2Faccount%2Fkeys%3Ffrom%3Dmail");
    await send("Log in", { Password: PASSWORD });

    assertEquals(path(), "/account/keys?from=mail");
    assertEquals(
      await page.getByRole("heading", { level: 1 }).innerText(),
      "API keys",
    );
  },
);

walk(
  "external login goes through the provider's own page",
  async ({ app, open, page, path }) => {
    await open("/account");
    await page.getByRole("link", { name: "Log in with Demo provider" }).click();
    assertEquals(new URL(page.url()).origin, app.issuer);
    assertEquals(
      await page.title(),
      "Choose who you are – Demo identity provider",
    );

    await page.getByRole("button", { name: "Ada Demo" }).click();

    assertEquals(new URL(page.url()).origin, app.baseURL);
    assertEquals(path(), "/account");
    assertEquals(await page.getByLabel("Name").inputValue(), "Ada Demo");
  },
);

walk(
  "an external login that is cancelled is answered 401",
  async ({ open, page }) => {
    await open("/login");
    await page.getByRole("link", { name: "Log in with Demo provider" }).click();
    const answer = page.waitForResponse((response) =>
      response.url().includes("/callback")
    );
    await page.getByRole("button", { name: "Cancel" }).click();
    assertEquals((await answer).status(), 401);
    assertEquals(
      await page.getByRole("heading", { level: 1 }).innerText(),
      "Authentication failed",
    );
  },
);

walk(
  "a login is linked on the account page",
  async ({ open, page, path, send }) => {
    await open("/register");
    await send("Register", { ...valid, "Email": "editor@example.com" });
    await open("/account/logins");

    await page.getByRole("button", { name: "Link Demo provider" }).click();
    await page.getByRole("button", { name: "Edith Demo" }).click();

    assertEquals(path(), "/account/logins");
    await page.getByRole("button", { name: "Unlink Demo provider" }).waitFor();
  },
);

walk(
  "the admin page is forbidden to a user and sends nobody to the login page",
  async ({ open, page, path, send }) => {
    assertEquals(await open("/admin"), 200);
    assertEquals(path(), "/login?returnTo=%2Fadmin");

    await open("/register");
    await send("Register", valid);
    assertEquals(await open("/admin"), 403);
    assertEquals(
      await page.getByRole("heading", { level: 1 }).innerText(),
      "Forbidden",
    );
    assertEquals(await page.getByRole("link", { name: "Admin" }).count(), 0);
  },
);

walk(
  "an API key is created, shown once, and calls the API",
  async ({ app, open, page, send }) => {
    await open("/register");
    await send("Register", valid);
    await open("/account/keys");
    assertEquals(await send("Create API key", { "Name": "Backup" }), 201);

    const key = await page.locator("#secret").innerText();
    assertMatch(key, /^board_key_/);
    const call = await fetch(`${app.baseURL}/api/me`, {
      headers: { "X-API-Key": key },
    });
    assertEquals(call.status, 200);
    assertEquals((await call.json()).role, "api");

    await open("/account/keys");
    assertEquals(await page.locator("#secret").count(), 0);
    await send("Revoke Backup");
    const after = await fetch(`${app.baseURL}/api/me`, {
      headers: { "X-API-Key": key },
    });
    assertEquals([after.status, await after.text()], [401, "Unauthorized"]);
  },
);

walk(
  "an editor publishes a notice and an admin names an editor",
  async ({ app, open, page, send }) => {
    const admin = await app.loggedIn("admin");
    await open("/register");
    await send("Register", valid);
    const [{ id }] = (await app.users.list()).filter(({ name }) =>
      name === "Ada"
    );
    await admin.post(`/admin/${id}`, { _method: "PUT", role: "editor" });

    await open("/editor/new");
    await send("Publish", {
      "Title": "Tea <b>at</b> five",
      "Text": "All welcome",
    });
    await page.getByRole("link", { name: "Notices" }).click();

    const title = page.getByRole("heading", { level: 2 });
    assertEquals(await title.innerText(), "Tea <b>at</b> five");
  },
);

walk(
  "every page fits a narrow screen, has one main heading and labels",
  async ({ app, open, page, send }) => {
    const admin = await app.loggedIn("admin");
    await admin.post("/account/keys", { label: "x".repeat(60) });
    await admin.post("/editor", {
      title: "y".repeat(120),
      body: "z".repeat(500),
    });
    const session = {
      name: "session",
      value: admin.cookie()!,
      url: app.baseURL,
    };
    await page.context().addCookies([session]);
    await page.setViewportSize({ width: 320, height: 640 });
    const paths = [
      "/",
      "/account",
      "/account/password",
      "/account/confirm",
      "/account/logins",
      "/account/sessions",
      "/account/keys",
      "/account/tokens",
      "/editor",
      "/editor/new",
      "/admin",
      "/nowhere",
    ];
    for (const path of paths) await check(path);
    await page.context().clearCookies();
    const forVisitors = [
      "/",
      "/login",
      "/forgot-password",
      "/reset-password",
      "/reset-password/done",
      "/register",
    ];
    for (const path of forVisitors) await check(path);
    await send("Register");
    await fits("/register, failed");

    async function check(path: string) {
      await open(path);
      await fits(path);
      assertEquals(
        await page.getByRole("heading", { level: 1 }).count(),
        1,
        path,
      );
      assertEquals(await page.getByRole("main").count(), 1, path);
      assertEquals(await page.getByRole("banner").count(), 1, path);
      for (
        const field of await page.locator("input:visible, textarea, select")
          .all()
      ) {
        const id = await field.getAttribute("id");
        const label = await field.getAttribute("aria-label");
        const labels = await page.locator(`label[for="${id}"]`).count();
        assert(label !== null || labels === 1, `${path}: ${id} has no label`);
      }
    }

    /** Nothing is wider than the screen. */
    async function fits(path: string) {
      for (const selector of ["html", "header.bar", "main"]) {
        const box = (await page.locator(selector).boundingBox())!;
        assert(box.x >= 0 && box.x + box.width <= 320, `${path}: ${selector}`);
      }
      const width = await page.locator("body").evaluate((body) =>
        body.ownerDocument.documentElement.scrollWidth
      );
      assertEquals(width, 320, path);
    }
  },
);

walk(
  "the keyboard reaches the content first",
  async ({ open, page }) => {
    await open("/login");
    await page.keyboard.press("Tab");
    const skip = page.getByRole("link", { name: "Skip to the content" });
    assert((await skip.boundingBox())!.y >= 0);
    await page.keyboard.press("Enter");
    await page.keyboard.press("Tab");
    await page.keyboard.type("ada@example.com");
    assertEquals(
      await page.getByLabel("Email").inputValue(),
      "ada@example.com",
    );
  },
);
