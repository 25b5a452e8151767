import { assertEquals } from "@std/assert";
import { documentURL } from "../../../oauth_server/clients/_document_url.ts";

const VALID = [
  "https://client.example/client.json",
  "https://client.example/oauth/metadata",
  "https://client.example/oauth/",
  "https://client.example:8443/client.json",
  "https://xn--mnchen-3ya.example/client.json",
  "https://claude.ai/oauth/claude-code-client-metadata",
  "https://a.b.c.client.example/%20/client.json",
  "https://client.example/".padEnd(1_000, "a"),
];

const INVALID = [
  "",
  "client",
  "client.example/client.json",
  "https://client.example",
  "https://client.example/",
  "http://client.example/client.json",
  "HTTPS://client.example/client.json",
  "https://CLIENT.example/client.json",
  "https://client.example:443/client.json",
  "https://client.example:/client.json",
  "https://client.example./client.json",
  "https://client.example/client.json#",
  "https://client.example/client.json#a",
  "https://client.example/client.json?",
  "https://client.example/client.json?a=1",
  "https://user@client.example/client.json",
  "https://user:password@client.example/client.json",
  "https://:@client.example/client.json",
  "https://client.example/../client.json",
  "https://client.example/./client.json",
  "https://client.example/a/..",
  "https://client.example/a/.",
  "https://client.example/%2e%2e/client.json",
  "https://client.example/%2E/client.json",
  "https://client.example/.%2e/client.json",
  "https://client.example\\client.json",
  "https:\\\\client.example/client.json",
  "https:client.example/client.json",
  "https:///client.example/client.json",
  " https://client.example/client.json",
  "https://client.example/client.json ",
  "https://client.example/client.json\n",
  "https://client.example/cli\tent.json",
  "https://client.example/client .json",
  "https://münchen.example/client.json",
  "https://client.example/clïent.json",
  "https://localhost/client.json",
  "https://intranet/client.json",
  "https://127.0.0.1/client.json",
  "https://8.8.8.8/client.json",
  "https://2130706433/client.json",
  "https://0x7f.0.0.1/client.json",
  "https://0177.0.0.1/client.json",
  "https://127.1/client.json",
  "https://[::1]/client.json",
  "https://[2606:4700:4700::1111]/client.json",
  "https://[::ffff:8.8.8.8]/client.json",
  "https://client.1/client.json",
  "https://client..example/client.json",
  "https://.example/client.json",
  "https://client.example/".padEnd(1_001, "a"),
  "data:application/json,{}",
  "file:///etc/passwd",
  "javascript:alert(1)",
];

Deno.test("documentURL() accepts the URL of a document in its only form", () => {
  for (const id of VALID) assertEquals(documentURL(id)?.href, id);
});

Deno.test("documentURL() rejects other URLs (OAuth Client ID Metadata Document 01, section 2)", () => {
  for (const id of INVALID) assertEquals(documentURL(id), null, id);
});
