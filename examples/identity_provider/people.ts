/** A person at the demo identity provider. No person is real. */
export interface Person {
  /** The stable, never reassigned identifier: the `sub` claim. */
  readonly sub: string;
  /** The display name. */
  readonly name: string;
  /** The email address, of a domain reserved for examples (RFC 2606). */
  readonly email: string;
  /** `true` if the provider has verified the address. */
  readonly "email_verified": boolean;
  /** A hint to what can be tried with this person. */
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
