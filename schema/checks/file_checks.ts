import { type Check, makeCheck } from "./check.ts";
import type { MessageOptions } from "../issue.ts";

/**
 * Checks that a file is not too large.
 *
 * @example A small file
 * ```ts
 * import { assertEquals } from "@std/assert";
 * import { instanceof_, parseSafe } from "@gatehouse/web/data-schema";
 * import { fileSize } from "@gatehouse/web/data-schema/checks";
 *
 * const Small = instanceof_(File).pipe(fileSize(4));
 *
 * assertEquals(parseSafe(Small, new File(["hello"], "a.txt")).success, false);
 * ```
 *
 * @param max The maximum size in bytes.
 * @param options The message.
 * @returns The check.
 */
export function fileSize(
  max: number,
  options: MessageOptions = {},
): Check<Blob> {
  return makeCheck(
    "file_size",
    { max },
    options.message,
    `Must have at most ${max} bytes`,
    ({ size }) => size <= max,
  );
}

/**
 * Checks the media type of a file. `image/*` matches every type of image.
 *
 * Trust: the client chooses the type. Inspect the file itself before you serve
 * it to other users.
 *
 * @example A picture
 * ```ts
 * import { assertEquals } from "@std/assert";
 * import { instanceof_, parseSafe } from "@gatehouse/web/data-schema";
 * import { fileType } from "@gatehouse/web/data-schema/checks";
 *
 * const Picture = instanceof_(File).pipe(fileType(["image/*"]));
 * const file = new File([], "a.png", { type: "image/png" });
 *
 * assertEquals(parseSafe(Picture, file).success, true);
 * ```
 *
 * @param types The types that pass.
 * @param options The message.
 * @returns The check.
 */
export function fileType(
  types: readonly string[],
  options: MessageOptions = {},
): Check<Blob> {
  const names = types.map((type) => type.toLowerCase());
  return makeCheck(
    "file_type",
    { types },
    options.message,
    `Must be of type ${types.join(" or ")}`,
    ({ type }) => {
      const name = type.split(";", 1)[0]!.trim().toLowerCase();
      return names.some((wanted) =>
        wanted.endsWith("/*")
          ? name.startsWith(wanted.slice(0, -1))
          : name === wanted
      );
    },
  );
}
