import type { PageCall } from "./page.ts";

/** A link of the account area, and the pages that it leads to. */
export interface Group {
  readonly text: string;
  readonly href: string;
  /** The paths of the pages below it. */
  readonly pages: readonly string[];
}

/** Returns the groups of the account area, without features that are off. */
export function groupsOf(call: PageCall): Group[] {
  const { messages, services: { names, routes } } = call;
  const { data, email, password, passkeys, profile, remove, twoStep } = routes;
  return [
    {
      text: messages.profile,
      href: profile.index.href(),
      pages: [email, data, remove].map(({ index }) => index.href()),
    },
    {
      text: messages.security,
      href: routes.security.href(),
      pages: [password, passkeys, twoStep].map(({ index }) => index.href()),
    },
    {
      text: messages.sessions,
      href: routes.sessions.index.href(),
      pages: [],
    },
    ...connectedGroup(call),
    ...names.scopes === undefined ? [] : [{
      text: messages.keys.title,
      href: routes.keys.index.href(),
      pages: [],
    }],
  ];
}

/** Returns the group of connections. A group of one page is this page. */
function connectedGroup(
  { messages, services: { apps, names, providers, routes } }: PageCall,
): Group[] {
  const features = [
    {
      isOn: Object.keys(providers).length > 0,
      text: messages.providers.title,
      href: routes.logins.index.href(),
    },
    {
      isOn: apps.isOn,
      text: messages.apps.title,
      href: routes.apps.index.href(),
    },
    {
      isOn: names.teamRoles !== undefined,
      text: messages.teams.title,
      href: routes.teams.index.href(),
    },
  ].filter(({ isOn }) => isOn);
  const [first, ...others] = features;
  if (first === undefined) return [];
  if (others.length === 0) return [{ ...first, pages: [] }];
  return [{
    text: messages.overview.connected,
    href: routes.connected.href(),
    pages: features.map(({ href }) => href),
  }];
}

/** Returns `true` if a path is that of a group, or of a page below it. */
export function isIn(
  { href, pages }: Group,
  pathname: string,
  profile: string,
): boolean {
  return [href, ...pages].some((path) =>
    pathname === path ||
    // The profile is the prefix of all pages of the account.
    path !== profile && pathname.startsWith(`${path}/`)
  );
}
