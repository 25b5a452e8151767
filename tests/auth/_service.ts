import {
  type ExternalAuthProvider,
  type ExternalAuthProviderOptions,
  type ExternalAuthResult,
  externalAuthResult,
  finishExternalAuth,
  startExternalAuth,
} from "@gatehouse/web/auth";
import { createRouter } from "@gatehouse/web/fetch-router";
import { session } from "@gatehouse/web/session-middleware";
import { createTestClient } from "@gatehouse/web/testing";
import type { TestProvider } from "./_test_provider.ts";

/** The result of a login. */
export interface Visit<Profile> {
  readonly location: URL;
  readonly profile: Profile | null;
  readonly result: ExternalAuthResult<Profile>;
}

/**
 * A model of a real service: the test provider at the service's real addresses.
 * Other addresses fail.
 */
export class Service {
  readonly provider: TestProvider;
  /** The requested URLs, without their queries. */
  readonly urls: string[] = [];
  readonly #paths: Readonly<Record<string, string>>;

  /**
   * @param provider The provider that responds.
   * @param paths The path of the provider for each real address.
   */
  constructor(
    provider: TestProvider,
    paths: Readonly<Record<string, string>>,
  ) {
    this.provider = provider;
    this.#paths = paths;
  }

  /** Replaces the network. */
  readonly fetch = (url: string, init: RequestInit): Promise<Response> => {
    const { href, search } = new URL(url);
    const place = href.slice(0, href.length - search.length);
    this.urls.push(place);
    const path = this.#paths[place];
    return path === undefined
      ? Promise.reject(new TypeError(`nothing at ${place}`))
      : this.provider.fetch(`https://service.example${path}${search}`, init);
  };

  /** Returns the options that every provider requires. */
  options(): ExternalAuthProviderOptions {
    return {
      clientId: this.provider.clientId,
      clientSecret: this.provider.clientSecret,
      redirectUri: "https://app.example/callback",
      fetch: this.fetch,
    };
  }
}

/** Runs a complete login. */
export async function visit<Profile>(
  { provider }: Service,
  client: ExternalAuthProvider<Profile>,
): Promise<Visit<Profile>> {
  let profile: Profile | null = null;
  let result: ExternalAuthResult<Profile> | undefined;
  const router = createRouter({ middleware: [session()] });
  router.get("/login", (context) => startExternalAuth(client, context));
  router.get("/callback", async (context) => {
    profile = await finishExternalAuth(client, context);
    result = await externalAuthResult(client, context);
    return new Response();
  });
  const browser = createTestClient(router);
  const response = await browser.fetch("/login");
  const location = new URL(response.headers.get("Location")!);
  await browser.fetch(provider.authorize(location.href));
  return { location, profile, result: result! };
}

/** Returns the error code, or `""` for a success. */
export function codeOf<Profile>({ result }: Visit<Profile>): string {
  return result.ok ? "" : result.error.code;
}
