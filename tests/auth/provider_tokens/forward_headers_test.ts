import { assertEquals } from "@std/assert";
import { ForwardApp, TOKEN } from "../_forward.ts";

Deno.test("forwardTo() passes harmless request headers only", async () => {
  const app = new ForwardApp({ requestHeaders: ["X-Trace"] });
  const passed = {
    "accept": "text/csv",
    "accept-language": "de",
    "content-type": "text/plain",
    "if-none-match": '"1"',
    "prefer": "return=minimal",
    "range": "bytes=0-1",
    "x-trace": "7",
  };
  const stripped = [
    "Authorization",
    "Cookie",
    "Cookie2",
    "CF-Connecting-IP",
    "Connection",
    "Content-Encoding",
    "DPoP",
    "Expect",
    "Forwarded",
    "Keep-Alive",
    "Origin",
    "Proxy-Authorization",
    "Referer",
    "Sec-Fetch-Mode",
    "TE",
    "Trailer",
    "Transfer-Encoding",
    "True-Client-IP",
    "Via",
    "X-Api-Key",
    "X-Custom",
    "X-Forwarded-For",
    "X-Forwarded-Host",
    "X-HTTP-Method-Override",
    "X-Method-Override",
    "X-Original-URL",
    "X-Real-IP",
    "X-Rewrite-URL",
  ];
  const headers = new Headers(passed);
  for (const name of stripped) headers.set(name, "evil");
  const response = await app.send("/notes", {
    method: "POST",
    headers,
    body: "x",
  });
  await response.body?.cancel();
  assertEquals(response.status, 200);
  assertEquals(Object.fromEntries(app.received[0].headers), {
    ...passed,
    "authorization": `Bearer ${TOKEN}`,
    "user-agent": "Gatehouse",
  });
});

Deno.test("forwardTo() strips headers that Connection names (RFC 9110, section 7.6.1)", async () => {
  const app = new ForwardApp({ requestHeaders: ["X-Trace"] });
  const response = await app.send("/notes", {
    headers: {
      Connection: "close, X-TRACE ,prefer",
      "X-Trace": "1",
      Prefer: "a",
    },
  });
  await response.body?.cancel();
  const { headers } = app.received[0];
  assertEquals([headers.get("X-Trace"), headers.get("Prefer")], [null, null]);
  assertEquals(headers.get("Authorization"), `Bearer ${TOKEN}`);
});

Deno.test("forwardTo() passes harmless response headers only", async () => {
  const app = new ForwardApp({ responseHeaders: ["Link"] });
  const passed = {
    "content-disposition": "attachment",
    "content-type": "text/html",
    "etag": '"1"',
    "link": "</v1/notes?page=2>; rel=next",
    "retry-after": "5",
  };
  const stripped = [
    "Access-Control-Allow-Credentials",
    "Access-Control-Allow-Origin",
    "Alt-Svc",
    "Authentication-Info",
    "Clear-Site-Data",
    "Connection",
    "Content-Encoding",
    "Content-Security-Policy-Report-Only",
    "DPoP-Nonce",
    "Keep-Alive",
    "Location",
    "NEL",
    "Proxy-Authenticate",
    "Refresh",
    "Report-To",
    "Server",
    "Service-Worker-Allowed",
    "Set-Login",
    "SourceMap",
    "Strict-Transport-Security",
    "Trailer",
    "Upgrade",
    "Via",
    "WWW-Authenticate",
    "X-Powered-By",
  ];
  app.answer = () => {
    const headers = new Headers(passed);
    for (const name of stripped) headers.set(name, "evil");
    headers.set("Cache-Control", "public, max-age=600");
    headers.set("Content-Security-Policy", "script-src *");
    headers.append("Set-Cookie", "__Host-session=evil; Path=/; Secure");
    return new Response("<script>alert(1)</script>", { headers });
  };
  const response = await app.send("/notes");
  await response.body?.cancel();
  assertEquals(Object.fromEntries(response.headers), {
    ...passed,
    "cache-control": "no-store",
    "content-security-policy": "default-src 'none'; sandbox",
    "x-content-type-options": "nosniff",
  });
});
