import { requireOwnLogin } from "@gatehouse/web/auth-middleware";
import { assertEquals } from "@std/assert";
import { fetchGuarded } from "../_fetch_guarded.ts";

for (
  const [name, value] of [
    ["Authorization", "Bearer t0ken"],
    ["X-API-Key", "k3y"],
  ] as const
) {
  Deno.test(`requireOwnLogin() refuses the credentials of a client in ${name}`, async () => {
    const response = await fetchGuarded(requireOwnLogin(), { [name]: value });
    assertEquals(response.status, 403);
    await response.body?.cancel();
  });
}
