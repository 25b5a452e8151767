import { createThrottle } from "@gatehouse/web/auth";
import { assertThrows } from "@std/assert";

for (const limit of ["attempts", "delay", "maxDelay", "window"] as const) {
  Deno.test(`createThrottle() throws for an invalid ${limit}`, () => {
    for (const value of [0, -1, NaN]) {
      for (
        const kind of [
          "perAccount",
          "perAccountAndAddress",
          "perAddress",
          "perNetwork",
        ]
      ) {
        assertThrows(
          () => createThrottle({ [kind]: { [limit]: value } }),
          RangeError,
          `${limit} "${value}"`,
        );
      }
    }
  });
}
