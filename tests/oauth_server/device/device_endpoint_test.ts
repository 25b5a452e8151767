import { assert, assertEquals } from "@std/assert";
import { ORIGIN, post, startServer } from "../_server.ts";
import { DEVICE_CODE, start, startDevices } from "./_devices.ts";

Deno.test("the metadata names the endpoint for devices only with the option", () => {
  const { metadata } = startDevices().server;
  assertEquals(metadata.device_authorization_endpoint, `${ORIGIN}/device/code`);
  assert((metadata.grant_types_supported as string[]).includes(DEVICE_CODE));
  const other = startServer().server.metadata;
  assertEquals(other.device_authorization_endpoint, undefined);
  assert(!(other.grant_types_supported as string[]).includes(DEVICE_CODE));
});

for (
  const [name, form, status, error] of [
    ["without a client", {}, 401, "invalid_client"],
    ["of an unknown client", { client_id: "x" }, 401, "invalid_client"],
    ["of a client for codes", { client_id: "web" }, 400, "unauthorized_client"],
    [
      "for an unknown scope",
      { client_id: "tv", scope: "admin" },
      400,
      "invalid_scope",
    ],
    [
      "for an unknown resource",
      { client_id: "tv", resource: "https://evil.example/" },
      400,
      "invalid_target",
    ],
    [
      "with a secret that it does not have",
      { client_id: "tv", client_secret: "x" },
      401,
      "invalid_client",
    ],
  ] as const
) {
  Deno.test(`a request of a device ${name} gets ${error}`, async () => {
    const server = startDevices();
    const response = await post(server, "/device/code", form);
    assertEquals(response.status, status);
    assertEquals((await response.json()).error, error);
  });
}

Deno.test("60 devices of an address start in ten minutes, and then one waits", async () => {
  const server = startDevices();
  for (let count = 0; count < 60; count++) await start(server);
  const response = await post(server, "/device/code", { client_id: "tv" });
  assertEquals(response.status, 429);
  const policy = response.headers.get("RateLimit-Policy");
  assertEquals(policy, '"oauth-device";q=60;w=600');
  await response.body?.cancel();
  server.clock.now += 10_000;
  await start(server);
});
