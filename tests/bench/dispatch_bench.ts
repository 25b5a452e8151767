import { benchDispatch } from "./_dispatch.ts";
import { finish } from "./_measure.ts";
import { benchOnBun } from "./_on_bun.ts";

const quick = Deno.args.includes("--quick");
const onDeno = await benchDispatch(quick);
const onBun = await benchOnBun(
  new URL("_dispatch.ts", import.meta.url),
  `benchDispatch(${quick})`,
);
finish(onDeno && onBun);
