import { html, type Markup } from "@gatehouse/web/content";
import {
  createContextKey,
  type Middleware,
  type RequestContext,
} from "@gatehouse/web/fetch-router";
import type { DemoAccount, DemoAccounts } from "../data/demo_accounts.ts";
import { definition } from "../definition.ts";
import { isLocal } from "../is_local.ts";

/** The accounts that the login page shows. */
const Shown = createContextKey<readonly DemoAccount[]>([], { name: "Shown" });

/** Creates a middleware that reads the demo accounts, for the login page. */
export function showDemoAccounts(
  demo: Pick<DemoAccounts, "list"> | undefined,
): Middleware<readonly []> {
  const path = definition.routes.login.index.href();
  return async (context) => {
    if (demo === undefined || context.url.pathname !== path) return;
    if (isLocal(context)) context.set(Shown, await demo.list());
  };
}

/** Creates the table of the demo accounts. */
export function demoTable(context: RequestContext): Markup | false {
  const accounts = context.get(Shown);
  return accounts.length > 0 && html`
    <section class="demo" aria-labelledby="demo" lang="en">
      <h2 id="demo">Demo accounts</h2>
      <p class="hint">Shown only to browsers on this computer.</p>
      <ul class="rows">${accounts.map(({ role, email, password }) =>
        html`<li>${role} <code>${email}</code> <code>${password}</code></li>`
      )}</ul>
    </section>
  `;
}
