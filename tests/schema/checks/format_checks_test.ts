import { parseSafe, string } from "@gatehouse/web/data-schema";
import { url } from "@gatehouse/web/data-schema/checks";
import { assertEquals } from "@std/assert";

Deno.test("url() accepts no web address that URL refuses", () => {
  const hosts = ["a", "a1", "1a", "a.b", "a..b", "a.1", "a.0x1", "xn--a", ".a"];
  const rests = ["", "/", "/x y", "?q", "#h", "/%", "/%zz", "/ä", ":", ":80"];
  const more = [":99999", ":a", "\\a", "@b", "/..", "/\ud800", "?[]{}|^`"];
  for (const host of hosts) {
    for (const rest of [...rests, ...more]) {
      for (const scheme of ["http", "https", "HTTP", "ftp", "javascript"]) {
        const text = `${scheme}://${host}${rest}`;
        const expected = /^https?:/i.test(text) && !text.includes(" ") &&
          URL.canParse(text);
        assertEquals(
          parseSafe(string().pipe(url()), text).success,
          expected,
          text,
        );
      }
    }
  }
});
