import { createMemoryAccountStore } from "@gatehouse/web/accounts/store";
import {
  createOIDCAuthProvider,
  type OIDCAuthProviderOptions,
} from "@gatehouse/web/auth";
import { createTestProvider } from "@gatehouse/web/testing";
import { type Browser, startAccounts } from "./_accounts.ts";

export const email = "ada@example.com";

export const ADA = { sub: "a1", name: "Ada", email, email_verified: true };

export const EVE = { sub: "e1", name: "Eve", email: "eve@example.com" };

export const PATH = "/login/with/example";

export const redirectUri = `https://test.example${PATH}/callback`;

export type App = ReturnType<typeof start>;

/** Starts accounts with a provider, whose clock is that of the accounts. */
export function start(
  options: Parameters<typeof startAccounts>[0] & {
    readonly provider?: Partial<OIDCAuthProviderOptions>;
  } = {},
) {
  let time = Date.now();
  const now = () => time;
  const { provider: own, ...others } = options;
  const google = createTestProvider({ now });
  const database = createMemoryAccountStore({ now });
  const app = startAccounts({
    database,
    now,
    providers: {
      example: {
        label: "Example",
        provider: createOIDCAuthProvider({
          ...google.client,
          name: "example",
          redirectUri,
          ...own,
        }),
      },
    },
    ...others,
  });
  const logIn = (browser: Browser, user = ADA as object, path = PATH) =>
    google.logIn(browser.client, path, {
      user: user as { readonly sub: string },
    });
  /** Links the login of a user, and returns the response of the callback. */
  async function link(browser: Browser, user: object) {
    const response = await browser.post("/account/logins", {
      provider: "example",
    });
    const next = response.headers.get("Refresh")!.replace("0; url=", "");
    const callback = google.authorize(next, {
      user: user as { readonly sub: string },
    });
    return await browser.client.fetch(callback);
  }
  const wait = (milliseconds: number) => void (time += milliseconds);
  return { ...app, database, google, link, logIn, now, wait };
}

export function idOf({ accounts }: App, address = email) {
  return accounts.users.findByEmail(address).then((user) => user?.id);
}
