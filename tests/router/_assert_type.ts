type Equal<A, B> = (<T>() => T extends A ? 1 : 2) extends
  (<T>() => T extends B ? 1 : 2) ? true : false;
/** Fails to compile if two types are different. */
export function assertSameType<A, B>(
  ..._proof: Equal<A, B> extends true ? [] : [never]
): void {}
