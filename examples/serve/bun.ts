/** On Bun: `bunx jsr add @gatehouse/web`, then `bun bun.ts`. */
import { router } from "./router.ts";

// Bun serves what a program exports by default.
export default { port: 8000, fetch: router.fetch };
