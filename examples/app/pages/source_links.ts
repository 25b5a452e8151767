import { html, type Markup } from "@gatehouse/web/content";
import {
  createContextKey,
  type RequestContext,
} from "@gatehouse/web/fetch-router";
import { routes } from "../routes.ts";

/** `true` if the application can read its source code. */
export const HasSource = createContextKey(false, { name: "HasSource" });

/** The source file and the page of the guide, by the beginning of the path. */
const TOPICS = [
  ["/account/confirm", "confirmation", "protect_a_route"],
  ["/account/password", "account_password", "register_users"],
  ["/account/logins", "account_logins", "add_a_provider"],
  ["/account/passkeys", "account_passkeys", "passkeys"],
  ["/account/sessions", "account_sessions", "log_out_everywhere"],
  ["/account/keys", "account_secrets", "accept_access_tokens"],
  ["/account/tokens", "account_secrets", "accept_access_tokens"],
  ["/account", "account", "validate_input"],
  ["/admin", "admin", "protect_a_route"],
  ["/auth", "external_login", "add_a_provider"],
  ["/editor", "editor", "validate_input"],
  ["/forgot-password", "password_reset", "forgotten_passwords"],
  ["/login", "login", "limit_attempts"],
  ["/register", "registration", "register_users"],
  ["/reset-password", "password_reset", "forgotten_passwords"],
  ["/source", "source", "routing"],
] as const;

/** The files of the repository, for an application that cannot read them. */
const REPOSITORY = "https://github.com/gatehouse/web/blob/main/";

/** Creates the links from a page to its source code and to the guide. */
export function sourceLinks(context: RequestContext): Markup {
  const { pathname } = context.url;
  const [, file, topic] =
    TOPICS.find(([path]) =>
      pathname === path || pathname.startsWith(`${path}/`)
    ) ?? ["/", "home", "getting_started"];
  const href = (file: string) =>
    context.get(HasSource)
      ? routes.source.href({}, { file })
      : REPOSITORY + file;
  const link = (file: string, text: string) =>
    html`
      <a href="${href(file)}">${text}</a>
    `;
  // Here it would show the Markdown of a page. The repository renders it.
  const hasGuide = !context.get(HasSource);
  return html`
    <p class="actions">
      ${hasGuide && link("docs/README.md", "The guide")}
      ${hasGuide && link(`docs/${topic}.md`, "This topic in the guide")}
      ${link(`examples/app/features/${file}.ts`, "Source code of this page")}
    </p>
  `;
}
