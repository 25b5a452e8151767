import { arktype, arktypeWithoutEval } from "./arktype.ts";
import { effect } from "./effect.ts";
import { gatehouse } from "./gatehouse.ts";
import type { Library } from "./library.ts";
import { paseri } from "./paseri.ts";
import { remix } from "./remix.ts";
import { sury } from "./sury.ts";
import { valibot } from "./valibot.ts";
import { valita } from "./valita.ts";
import { zod, zodMini, zodMiniWithoutEval, zodWithoutEval } from "./zod.ts";

/** All libraries, ours first. */
export const LIBRARIES: readonly Library[] = [
  gatehouse,
  ...(paseri ? [paseri] : []),
  valita,
  valibot,
  remix,
  zodWithoutEval,
  zodMiniWithoutEval,
  arktypeWithoutEval,
  effect,
  zod,
  zodMini,
  arktype,
  sury,
];

if (!paseri) {
  console.log(
    "Paseri is not measured: JSR cannot be reached, and PASERI is not set",
  );
}
