type Equal<A, B> = (<T>() => T extends A ? 1 : 2) extends
  (<T>() => T extends B ? 1 : 2) ? true : false;
/** Fails to compile unless the two types are the same. */
export function same<A, B>(
  ..._proof: Equal<A, B> extends true ? [] : [never]
): void {}
