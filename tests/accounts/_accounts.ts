/** Accounts behind a router, with browsers that fill in forms. */
import { assert, assertEquals } from "@std/assert";
import type { AccountsOptions, Mail } from "@gatehouse/web/accounts";
import { testAccounts } from "@gatehouse/web/accounts/testing";
import { createOIDCAuthProvider } from "@gatehouse/web/auth";
import { Auth } from "@gatehouse/web/auth-middleware";
import { createRouter } from "@gatehouse/web/fetch-router";
import {
  createTestClient,
  createTestProvider,
  type TestClient,
} from "@gatehouse/web/testing";
import type { EventRecorder } from "./_events.ts";

/** A password that all rules accept. */
export const PASSWORD = "correct horse battery";

/** Creates the option `providers` with the provider "example". */
export function exampleProviders({ client } = createTestProvider()) {
  const provider = createOIDCAuthProvider({
    ...client,
    name: "example",
    redirectUri: "https://test.example/login/with/example/callback",
  });
  return { example: { label: "Example", provider } };
}

let clients = 0;

/**
 * Starts accounts, with a page for users at `/`. Their security events go to
 * `events`, if it is given.
 */
export function startAccounts(
  options: Partial<AccountsOptions> = {},
  events?: EventRecorder,
) {
  const accounts = testAccounts({
    name: "Invoices",
    ...options,
  });
  const router = createRouter({
    middleware: [
      events?.middleware ?? ((_context, next) => next()),
      ...accounts.middleware,
    ],
  });
  router.map(accounts.routes, accounts.controller);
  router.get("/", accounts.requireUser, (context) => {
    return new Response(`Hello ${context.get(Auth).name}`);
  });
  router.get("/fresh", accounts.requireFresh, () => new Response("fresh"));
  router.get(
    "/admin",
    accounts.requireRole("admin"),
    () => new Response("admin"),
  );

  /** Creates a browser with an address that no other has. */
  function browser(headers: Record<string, string> = {}): Browser {
    const n = ++clients;
    const remoteAddress = `198.51.${n >> 8}.${n & 255}`;
    const origin = options.origin ?? "https://test.example";
    return new Browser(
      createTestClient(router, { remoteAddress, origin }),
      headers,
    );
  }

  /** Returns the last email to an address, as soon as it was sent. */
  async function lastMail(to: string): Promise<Mail> {
    await accounts.flush();
    return mailTo(to, accounts);
  }

  /** Registers a user, and returns the browser in which the user is logged in. */
  async function registered(
    { email = "ada@example.com", name = "Ada", password = PASSWORD } = {},
  ): Promise<Browser> {
    const ada = browser();
    await ada.post("/register", { email, name, password });
    const code = codeOf(await lastMail(email));
    const response = await ada.post("/register/code", { code });
    assertEquals(response.status, 303);
    return ada;
  }

  return { accounts, router, browser, lastMail, registered };
}

/** A browser that fills in forms. */
export class Browser {
  readonly client: TestClient;
  readonly #headers: Record<string, string>;

  constructor(client: TestClient, headers: Record<string, string>) {
    this.client = client;
    this.#headers = headers;
  }

  get(path: string, headers: Record<string, string> = {}): Promise<Response> {
    return this.client.fetch(path, {
      headers: { ...this.#headers, ...headers },
    });
  }

  /** Submits a form. */
  post(path: string, values: Record<string, string> = {}): Promise<Response> {
    return this.client.fetch(path, {
      method: "POST",
      headers: this.#headers,
      body: new URLSearchParams(values),
    });
  }

  /** Sends JSON. */
  send(path: string, value: unknown): Promise<Response> {
    return this.client.fetch(path, {
      method: "POST",
      headers: {
        ...this.#headers,
        "Content-Type": "application/json",
        Accept: "application/json",
      },
      body: JSON.stringify(value),
    });
  }

  /** Returns `true` if a user is logged in. */
  async isLoggedIn(): Promise<boolean> {
    const response = await this.get("/");
    await response.body?.cancel();
    return response.status === 200;
  }
}

/** A route with any params. */
export interface AnyRoute {
  readonly method: string;
  href(params: object): string;
}

/** Lists the routes of a map. */
export function* routesOf(map: object): Generator<AnyRoute> {
  for (const value of Object.values(map)) {
    if (typeof value !== "object" || value === null) continue;
    if ("method" in value && "href" in value) yield value as AnyRoute;
    else yield* routesOf(value);
  }
}

/** Returns the last email to an address. */
export function mailTo(
  to: string,
  { mails }: { readonly mails: readonly Mail[] },
): Mail {
  const mail = mails.findLast((one) => one.to === to);
  assert(mail !== undefined, `no email to ${to}`);
  // A locked phone shows the subject.
  assertEquals(/\d{6}/.test(mail.subject), false, mail.subject);
  return mail;
}

/** Returns the code in an email. */
export function codeOf({ text }: Mail): string {
  const [code] = /^\d{6}$/m.exec(text) ?? [];
  assert(code !== undefined, `no code in ${text}`);
  return code;
}

/** Returns the path of the link in an email. */
export function linkOf({ text }: Mail): string {
  const [, path] = /^https:\/\/test\.example(\/\S+)$/m.exec(text) ?? [];
  assert(path !== undefined, `no link in ${text}`);
  return path;
}

/** Returns the token of the link in an email. */
export function tokenOf(mail: Mail): string {
  const token = new URLSearchParams(linkOf(mail).split("?")[1]).get("token");
  assert(token !== null);
  return token;
}
