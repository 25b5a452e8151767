import type { AccessTokenClaims } from "../../auth/access_tokens/mod.ts";
import type { TokenContents } from "../grants/tokens.ts";
import type { ServerPart } from "../server_part.ts";

/** The functions of JWT access tokens. Its endpoint has the public keys. */
export interface JWTParts extends ServerPart {
  /** Signs a token. The same arguments give the same token. */
  readonly sign: (
    contents: TokenContents,
    claims: AccessTokenClaims,
  ) => Promise<string>;
  /** Returns the contents of a token, or `null` for any other string. */
  readonly read: (token: string) => Promise<TokenContents | null>;
}
