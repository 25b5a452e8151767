/** On Workers: `npx jsr add @gatehouse/web`, then `npx wrangler dev worker.ts`. */
import { router } from "./router.ts";

export default { fetch: router.fetch };
