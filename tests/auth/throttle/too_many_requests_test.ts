import { tooManyRequests } from "@gatehouse/web/auth";
import { RequestContext } from "@gatehouse/web/fetch-router";
import { assertEquals } from "@std/assert";

const context = (remoteAddress?: string) =>
  new RequestContext(new Request("https://example.com/"), { remoteAddress });

for (const [seconds, header] of [[30, "30"], [0.2, "1"], [-5, "0"]] as const) {
  Deno.test(`tooManyRequests(${seconds}) returns a 429 with Retry-After: ${header} (RFC 6585, 4)`, async () => {
    const response = await tooManyRequests(context(), seconds, {
      body: "Slow down",
      headers: { "Content-Type": "text/html" },
    });
    assertEquals(response.status, 429);
    assertEquals(response.headers.get("Retry-After"), header);
    assertEquals(response.headers.get("Cache-Control"), "no-store");
    assertEquals(response.headers.get("Content-Type"), "text/html");
    assertEquals(await response.text(), "Slow down");
  });
}
