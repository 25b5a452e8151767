/** Walks the pages for administrators in Chromium, with axe-core on each page. */
import { assertEquals } from "@std/assert";
import type { Page } from "npm:playwright-core@1.56.1";
import { createAccounts, type Mail } from "@gatehouse/web/accounts";
import { createMemoryAccountStore } from "@gatehouse/web/accounts/store";
import { createRouter } from "@gatehouse/web/fetch-router";
import { layoutFaults } from "../deno/_layout.ts";
import { launch, testInChromium } from "../deno/_chromium.ts";
import { freePort } from "../deno/_programs.ts";
import { serveLocally } from "../deno/_serve.ts";
import { axeFaults } from "./_axe.ts";

const EMAIL = `a-long-name-of-an-owner-${"x".repeat(20)}@mail.example.com`;

/** Serves accounts and their pages for administrators on a free port. */
function serveAccounts() {
  const port = freePort();
  const origin = `http://localhost:${port}`;
  const mails: Mail[] = [];
  const accounts = createAccounts({
    name: "Invoices",
    origin,
    database: createMemoryAccountStore(),
    sendMail: (mail) => void mails.push(mail),
    passwords: { memory: 64, passes: 1 },
    admins: [EMAIL],
  });
  const router = createRouter({ middleware: accounts.middleware });
  router.map(accounts.routes, accounts.controller);
  router.map(accounts.adminRoutes, accounts.adminController);
  const server = serveLocally(router.fetch, { port });
  return { accounts, mails, origin, server };
}

for (
  const [device, width] of [["a phone", 390], ["a desktop", 1280]] as const
) {
  testInChromium(
    `Chromium: the pages for administrators have no problem for axe-core, on ${device}`,
    async () => {
      const { accounts, mails, origin, server } = serveAccounts();
      await using _server = server;
      await using browser = await launch();
      const page = await browser.newPage({ viewport: { width, height: 800 } });
      page.setDefaultTimeout(30_000);
      const email = "ada@example.com";
      const name = "أدا ".repeat(12).trim();
      const user = await accounts.users.create({ email, name });

      await page.goto(`${origin}/register?returnTo=%2Fadmin`);
      await page.getByLabel("Name").fill("Root");
      await page.getByLabel("Email").fill(EMAIL);
      await page.getByLabel("Password").fill("correct horse battery");
      await page.locator("main form button").first().click();
      await page.waitForURL(/code/);
      await accounts.flush();
      const [code = ""] = /^\d{6}$/m.exec(mails.at(-1)!.text) ?? [];
      await page.getByLabel("Code").fill(code);
      await page.locator("main form button").first().click();
      await page.waitForURL(`${origin}/admin`);
      await check(page, "accounts");

      const path = `${origin}/admin/users/${user!.id}`;
      await page.goto(path);
      await page.getByRole("button", { name: "Block the account" }).click();
      await page.getByRole("alert").waitFor();
      await check(page, "an account, failed");
      await page.getByLabel("Reason").first().fill(`spam ${"x".repeat(150)}`);
      await page.getByRole("button", { name: "Block the account" }).click();
      await page.getByRole("button", { name: "End the block" }).waitFor();
      await check(page, "an account, blocked");
      await page.goto(`${origin}/admin/invitations`);
      await check(page, "invitations, empty");
      const invite = page.getByRole("button", { name: "Send the invitation" });
      await invite.click();
      await page.getByRole("alert").waitFor();
      await check(page, "invitations, failed");
      await page.getByLabel("Email").fill(`invited.${EMAIL}`);
      await invite.click();
      await page.getByText("The invitation was sent").waitFor();
      await check(page, "invitations, with one");
      await page.goto(`${origin}/admin/audit`);
      await check(page, "the audit log");
      await page.goto(`${origin}/admin/users/none`);
      await check(page, "an unknown account");
      await page.close();
    },
  );
}

/** Checks a page with axe-core, and its layout. */
async function check(page: Page, state: string): Promise<void> {
  assertEquals(await axeFaults(page), [], state);
  assertEquals(await layoutFaults(page), [], state);
}
