import { createRouter, RequestContext } from "@gatehouse/web/fetch-router";
import { assertEquals, assertThrows } from "@std/assert";

const origin = "https://example.com";

const deno = { remoteAddr: { transport: "tcp", hostname: "192.0.2.1" } };

Deno.test("RequestContext prefers an explicit address to the platform's", () => {
  const context = new RequestContext(new Request(origin), {
    remoteAddress: "203.0.113.1",
    platform: [deno],
  });
  assertEquals(context.remoteAddress, "203.0.113.1");
});

const ranges: [proxies: string[], peer: string, isTrusted: boolean][] = [
  [["10.0.0.0/8"], "10.255.255.255", true],
  [["10.0.0.0/8"], "11.0.0.0", false],
  [["10.0.0.0/8"], "::ffff:10.1.2.3", true],
  [["::ffff:10.0.0.0/104"], "10.1.2.3", true],
  [["192.0.2.128/25"], "192.0.2.127", false],
  [["192.0.2.128/25"], "192.0.2.128", true],
  [["0.0.0.0/0"], "203.0.113.1", true],
  [["0.0.0.0/0"], "2001:db8::1", false],
  [["::/0"], "2001:db8::1", true],
  [["2001:db8::/32"], "2001:DB8:ffff::1", true],
  [["2001:db8::/32"], "2001:db9::1", false],
  [["2001:0DB8:0:0:0:0:0:1"], "2001:db8::1", true],
  [["2001:db8::1"], "2001:0db8:0000::0001", true],
  [["fe80::1%eth0"], "fe80::1%2", true],
  [["192.0.2.1/32", "192.0.2.2"], "192.0.2.2", true],
  [[], "192.0.2.2", false],
];

for (const [trustedProxies, peer, isTrusted] of ranges) {
  Deno.test(`trustedProxies ${JSON.stringify(trustedProxies)} ${isTrusted ? "matches" : "does not match"} ${peer}`, async () => {
    const router = createRouter({ trustedProxies });
    router.get("/", ({ remoteAddress }) => new Response(remoteAddress));
    const headers = { "X-Forwarded-For": "198.51.100.7" };
    const response = await router.fetch(new Request(origin, { headers }), {
      remoteAddr: { hostname: peer },
    });
    const address = await response.text();
    assertEquals(address === "198.51.100.7", isTrusted);
  });
}

const misspelled: unknown[] = [
  ["proxy.internal"],
  ["localhost"],
  [""],
  ["10.0.0"],
  ["10.1"],
  ["0x7f.1"],
  ["010.0.0.1"],
  ["256.0.0.1"],
  ["10.0.0.1/8"],
  ["10.0.0.0/33"],
  ["10.0.0.0/"],
  ["10.0.0.0/-1"],
  ["10.0.0.0/8/8"],
  ["10.0.0.0-10.0.0.9"],
  ["10.0.0.1:8080"],
  [" 10.0.0.1"],
  ["[::1]"],
  ["::1/129"],
  ["2001:db8::1/32"],
  ["2001:db8:::1"],
  ["1:2:3:4:5:6:7:8:9"],
  ["::ffff:300.1.1.1"],
  ["10.0.0.1", "loopback"],
  [`${":".repeat(10_000)}`],
  -1,
  0.5,
  NaN,
  Infinity,
];

for (const trustedProxies of misspelled) {
  const name = JSON.stringify(trustedProxies).slice(0, 40);
  Deno.test(`createRouter() refuses the trustedProxies ${name} (${trustedProxies?.toString().slice(0, 20)}), which no peer could match`, () => {
    assertThrows(
      () => createRouter({ trustedProxies: trustedProxies as string[] }),
      TypeError,
      "Cannot ",
    );
  });
}
