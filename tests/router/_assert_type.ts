type Equal<A, B> = (<T>() => T extends A ? 1 : 2) extends
  (<T>() => T extends B ? 1 : 2) ? true : false;
/** Fails to compile if two types are different. */
export function assertSameType<A, B>(
  ..._proof: Equal<A, B> extends true ? [] : [never]
): void {}

/**
 * Holds code that only the compiler reads: types are erased when tests run, so a
 * test of types could not fail there. `deno task checks` compiles it.
 */
export function compiles(_name: string, _code: () => unknown): void {}
