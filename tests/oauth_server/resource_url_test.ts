import { assertEquals } from "@std/assert";
import { isSameResource } from "../../oauth_server/resource_url.ts";

/** Resources of requests and of the server, and whether they are the same. */
const ROWS: [requested: string, resource: string, isSame: boolean][] = [
  ["https://a.example/api", "https://a.example/api", true],
  ["https://a.example", "https://a.example", true],
  ["https://a.example/", "https://a.example", true],
  ["https://a.example", "https://a.example/", true],
  ["https://a.example/", "https://a.example/", true],
  ["x", "x", true],
  ["https://a.example/api/", "https://a.example/api", false],
  ["https://a.example/api", "https://a.example/api/", false],
  ["https://a.example/?", "https://a.example", false],
  ["https://a.example/#", "https://a.example", false],
  ["https://a.example:443/", "https://a.example", false],
  ["https://A.example/", "https://a.example", false],
  ["https://a.example//", "https://a.example", false],
  ["https://a.example:8443/", "https://a.example", false],
  ["http://a.example/", "https://a.example", false],
  ["https://user@a.example/", "https://a.example", false],
  ["x", "https://a.example", false],
  ["", "https://a.example", false],
  ["", "undefined", false],
  ["x", "y", false],
];

Deno.test("isSameResource() compares strings, and ignores only the slash after an origin (RFC 8707, section 2)", () => {
  for (const [requested, resource, isSame] of ROWS) {
    const message = `${requested} ${resource}`;
    assertEquals(isSameResource(requested, resource), isSame, message);
  }
});
