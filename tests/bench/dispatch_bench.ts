import { benchDispatch } from "./_dispatch.ts";
import { benchOnBun } from "./_on_bun.ts";

const quick = Deno.args.includes("--quick");
const onDeno = await benchDispatch(quick);
const onBun = await benchOnBun(
  new URL("_dispatch.ts", import.meta.url),
  `benchDispatch(${quick})`,
);
if (!onDeno || !onBun) {
  console.log("A ratio is beyond 1.5 times its bound");
  Deno.exit(1);
}
