/**
 * Runs Miniflare with the options from one line of JSON, prints its address,
 * and exits when its input ends.
 */
import { Miniflare } from "npm:miniflare@4.20260730.0";

let input = "";
let miniflare: Miniflare | undefined;
for await (
  const chunk of Deno.stdin.readable.pipeThrough(new TextDecoderStream())
) {
  input += chunk;
  if (miniflare !== undefined || !input.endsWith("\n")) continue;
  miniflare = new Miniflare(JSON.parse(input));
  console.log(`Listening on ${await miniflare.ready}`);
}
await miniflare?.dispose();
Deno.exit();
