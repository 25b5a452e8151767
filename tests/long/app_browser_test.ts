import { assert, assertEquals } from "@std/assert";
import { generateTOTP } from "@gatehouse/web/auth/second-factor";
import { PAGES_FOR_ADMINS, PASSWORD } from "../deno/_example_app.ts";
import { layoutFaults } from "../deno/_layout.ts";
import { walk } from "../deno/_walk.ts";

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
    for (const path of PAGES_FOR_ADMINS) await check(path);
    await page.context().clearCookies();
    const forVisitors = [
      "/",
      "/login",
      "/login/email",
      "/login/email/code",
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

    /** Asserts that no element is wider than the screen. */
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
  "no page on a phone has buttons that touch, wide check boxes or many tabs",
  async ({ app, open, page }) => {
    await page.setViewportSize({ width: 390, height: 800 });
    const faults: string[] = [];
    const check = async (path: string) => {
      await open(path);
      for (const fault of await layoutFaults(page)) {
        faults.push(`${path}: ${fault}`);
      }
    };
    const admin = await app.loggedIn("admin");
    await admin.post("/editor", { title: "Tea", body: "All welcome" });
    for (
      const path of ["/", "/login", "/login/email", "/register", "/nowhere"]
    ) {
      await check(path);
    }
    const cookies = (value: string) =>
      page.context().addCookies([{
        name: "session",
        value,
        url: app.baseURL,
      }]);
    await cookies(admin.cookie()!);
    for (const path of PAGES_FOR_ADMINS) {
      await check(path);
    }
    const form = await (await admin.get("/account/security/app")).body;
    const [, setup = ""] = /name="setup" value="([^"]+)"/.exec(form)!;
    const [, secret = ""] = /id="totp-secret">([^<]+)</.exec(form)!;
    const code = await generateTOTP(secret.replaceAll(" ", ""), {
      time: app.now(),
    });
    await admin.post("/account/security/app", { setup, code });
    const visitor = app.visitor();
    const email = (await app.users.find(1))!.email!;
    await visitor.post("/login", { email, password: PASSWORD });
    await cookies(visitor.cookie()!);
    await check("/login/code");
    assertEquals(await page.getByRole("checkbox").count(), 1);
    assertEquals(faults, []);
  },
);

walk(
  "the first tab stop skips to the content",
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

walk(
  "the Back button shows no account data after the logout",
  async ({ app, follow, open, page, path }) => {
    const user = await app.loggedIn();
    await page.context().addCookies([
      { name: "session", value: user.cookie()!, url: app.baseURL },
    ]);
    await open("/account");
    assertEquals(path(), "/account");
    await follow(page.getByRole("button", { name: "Log out" }));

    await page.goBack();

    assertEquals(path(), "/login?returnTo=%2Faccount");
    assert(!(await page.content()).includes("@example.com"));
  },
);
