/** On Node: `npm i srvx` and `npx jsr add @gatehouse/web`, then `node node.ts`. */
import { serve } from "srvx/node";
import { router } from "./router.ts";

serve({
  port: 8000,
  // The second argument has the client's address.
  fetch: (request) => router.fetch(request, request.runtime),
});
