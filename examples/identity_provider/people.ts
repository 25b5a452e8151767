/** Somebody who can log in at the demo identity provider. Nobody is real. */
export interface Person {
  /** The stable, never reassigned identifier: the `sub` claim. */
  readonly sub: string;
  /** The display name. */
  readonly name: string;
  /** The e-mail address, of a domain reserved for examples (RFC 2606). */
  readonly email: string;
  /** Whether the provider made sure that the address is theirs. */
  readonly "email_verified": boolean;
  /** What to try with this person, for the page that offers them. */
  readonly note: string;
}

/** The people of the demo: one for each case an application has to handle. */
export const PEOPLE: readonly Person[] = [
  {
    sub: "demo-ada",
    name: "Ada Demo",
    email: "ada@people.example",
    email_verified: true,
    note: "A new visitor with a verified address",
  },
  {
    sub: "demo-grace",
    name: "Grace Demo",
    email: "grace@people.example",
    email_verified: false,
    note: "Her address is not verified, so an application must not rely on it",
  },
  {
    sub: "demo-editor",
    name: "Edith Demo",
    email: "editor@example.com",
    email_verified: true,
    note: "Her address belongs to an account of the example application",
  },
];
