/** The strings of the pages of API keys in one language. */
export interface KeyMessages {
  readonly title: string;
  readonly text: string;
  readonly none: string;
  readonly create: string;
  readonly nameHint: string;
  readonly scopes: string;
  readonly scopesMissing: string;
  readonly expiry: string;
  readonly days: (count: number) => string;
  readonly never: string;
  readonly created: string;
  readonly createdText: string;
  readonly key: string;
  readonly usage: string;
  readonly done: string;
  readonly unused: string;
  readonly noExpiry: string;
  readonly expires: (day: string) => string;
  readonly expired: (day: string) => string;
  readonly revoke: string;
  readonly revokeNamed: (name: string) => string;
  readonly revokeTitle: (name: string) => string;
  readonly revokeText: string;
  readonly revoked: string;
  readonly unknown: string;
  readonly tooMany: (most: number) => string;
}
