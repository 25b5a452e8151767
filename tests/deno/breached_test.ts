import { assert, assertEquals, assertFalse } from "@std/assert";
import {
  createBreachedPasswordCheck,
  hashPassword,
} from "@gatehouse/web/auth/password";
import { serveLocally } from "./_serve.ts";

const SUFFIX = "1E4C9B93F3F0682250B6CF8331B7EE68FD8";

Deno.test("createBreachedPasswordCheck() works with a local range service", async () => {
  const paths: string[] = [];
  const late = Promise.withResolvers<void>();
  await using server = serveLocally(async (request) => {
    const { pathname } = new URL(request.url);
    paths.push(pathname);
    if (pathname === "/moved/5BAA6") {
      return Response.redirect(new URL("/range/5BAA6", request.url));
    }
    if (pathname === "/slow/5BAA6") {
      await late.promise;
    }
    return new Response(
      `0018A45C4D1DEF81644B54AB7F969B88D65:0\r\n${SUFFIX}:7`,
    );
  });
  const base = `http://127.0.0.1:${server.addr.port}`;
  const refuse = createBreachedPasswordCheck({ url: `${base}/range/` });
  assert(await refuse("password"));
  assertFalse(await refuse("correct horse battery staple"));
  const refused = await hashPassword("password", { refuse })
    .catch(({ code }) => code);
  assertEquals(refused, "password_refused");
  assertEquals(paths[0], "/range/5BAA6");

  const slow = createBreachedPasswordCheck({
    url: `${base}/slow/`,
    timeout: 100,
  });
  assertFalse(await slow("password"));
  late.resolve();
  // It follows no redirects.
  const moved = createBreachedPasswordCheck({ url: `${base}/moved/` });
  assertFalse(await moved("password"));
});
