import { assertEquals, assertStringIncludes } from "@std/assert";
import { PASSWORD } from "../deno/_example_app.ts";
import { walk } from "../deno/_walk.ts";

const email = "ada@example.com";
const next = "another long one";

walk(
  "a forgotten password is replaced by the link in the email",
  async ({ app, follow, open, page, path, send }) => {
    const passwords = { password: PASSWORD, confirmPassword: PASSWORD };
    await app.visitor().post("/register", { name: "Ada", email, ...passwords });

    await open("/login");
    await follow(page.getByRole("link", { name: "Forgot your password?" }));
    assertEquals(await send("Send the link", { Email: email }), 200);
    const [link] = app.mails.at(-1)!.text.match(/http\S+/)!;
    await page.goto(link);
    const passwordOf = (text: string) => ({
      "New password": text,
      "New password, once more": text,
    });
    assertEquals(await send("Change password", passwordOf("12345678")), 422);
    const field = page.getByLabel("New password", { exact: true });
    assertEquals(await field.getAttribute("aria-invalid"), "true");
    assertEquals(await send("Change password", passwordOf(next)), 200);

    assertEquals(path(), "/reset-password/done");
    await follow(page.getByRole("main").getByRole("link", { name: "Log in" }));
    assertEquals(await send("Log in", { Email: email, Password: next }), 200);
    assertEquals(path(), "/");
  },
);

walk(
  "a stale login is confirmed before the password changes",
  async ({ app, open, page, path, send }) => {
    await open("/register");
    await send("Register", {
      "Name": "Ada",
      "Email": email,
      "Password": PASSWORD,
      "Password, once more": PASSWORD,
    });
    app.wait(6 * 60_000);

    await open("/account/password");
    assertEquals(path(), "/account/confirm?returnTo=%2Faccount%2Fpassword");
    assertEquals(await send("Confirm", { Password: "wrong password" }), 422);
    const alert = await page.getByRole("alert").innerText();
    assertStringIncludes(alert, "This is not your password");
    assertEquals(await send("Confirm", { Password: PASSWORD }), 200);

    assertEquals(path(), "/account/password");
    const status = await send("Change password", {
      "Current password": PASSWORD,
      "New password": next,
      "New password, once more": next,
    });
    assertEquals([status, path()], [200, "/account"]);
  },
);
