import { report } from "../events.ts";
import { readAccessToken } from "./access_token.ts";
import { checkClient, type GrantRequest } from "./grant_checks.ts";
import type { TokenResult } from "./token_response.ts";

/** The response, which does not tell known tokens from others. */
const DONE: TokenResult = { body: {} };

/**
 * Ends the grant of a token. An access token ends it too, because tokens are derived
 * from their grant (RFC 7009, section 2.1, allows both).
 */
export async function revokeToken(request: GrantRequest): Promise<TokenResult> {
  const { context, form, settings } = request;
  const { grants, tokens } = settings;
  const token = form.get("token");
  if (token === undefined) {
    return { error: "invalid_request", description: "There is no token" };
  }
  const contents = await tokens.read("refresh", token) ??
    await readAccessToken(settings, token);
  if (contents === null) return DONE;
  const { key } = contents;
  const found = await grants.read(key);
  if (found === null) return DONE;
  const failure = await checkClient(request, found.row);
  if (failure !== null) return failure;
  await grants.end(key);
  await report(settings, "revoked", found.row, key, context);
  return DONE;
}
