import { createOAuthProvider } from "@gatehouse/web/auth";
import { assertThrows } from "@std/assert";
import { right } from "./_right_options.ts";

for (
  const name of [
    "authorizationEndpoint",
    "tokenEndpoint",
    "profileEndpoint",
    "revocationEndpoint",
  ]
) {
  Deno.test(`createOAuthProvider() throws a TypeError for a ${name} with HTTP`, () => {
    const options = {
      ...right,
      authorizationEndpoint: "https://id.example/authorize",
      tokenEndpoint: "https://id.example/token",
      profileEndpoint: "https://id.example/me",
      scopes: [],
      parseProfile: () => null,
    };
    assertThrows(
      () => createOAuthProvider({ ...options, [name]: "http://id.example/" }),
      TypeError,
      name,
    );
  });
}
