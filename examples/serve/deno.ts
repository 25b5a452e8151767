/** On Deno: `deno add jsr:@gatehouse/web`, then `deno run -N deno.ts`. */
import { router } from "./router.ts";

Deno.serve({ port: 8000 }, router.fetch);
