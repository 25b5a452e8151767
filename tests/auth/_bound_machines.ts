import { assertEquals } from "@std/assert";
import type { TestTarget } from "@gatehouse/web/testing";
import { Device } from "./_bound_app.ts";

/** The number of machines of the tests. */
export const MACHINES = 4;

const ROUNDS = 3;

/** Sends a request to one machine. */
export type Fetch = (request: Request) => Promise<Response>;

/** Binds a session, and sends each proof in 100 parallel requests. */
export async function assertOneCounts(
  machines: readonly Fetch[],
  origin: string,
): Promise<Device> {
  let turn = 0;
  const next = () => machines[turn++ % machines.length]!;
  const target = { fetch: (request: Request) => next()(request) };
  const device = new Device(target as TestTarget, "ES256", origin);
  await device.bind();
  for (let round = 0; round < ROUNDS; round++) {
    device.challenge = "";
    assertEquals((await device.refresh()).status, 403);
    const headers = {
      "Cookie": device.jar,
      "Sec-Secure-Session-Id": device.id,
      "Secure-Session-Response": await device.refreshProof(),
    };
    const statuses = await Promise.all(Array.from({ length: 100 }, async () => {
      const url = `${origin}/device-session/refresh`;
      const request = new Request(url, { method: "POST", headers });
      const response = await next()(request);
      await response.body?.cancel();
      return response.status;
    }));
    assertEquals(statuses.filter((status) => status === 200).length, 1);
    assertEquals(statuses.filter((status) => status === 403).length, 99);
  }
  assertEquals(await (await device.get()).json(), "7");
  assertEquals(await (await device.get("/sessions")).json(), [true]);
  return device;
}
