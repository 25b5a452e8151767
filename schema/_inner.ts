import { type Around, Node } from "./_node.ts";

/** What a schema is around, if it is around another. */
export function innerOf(node: Node): Node | undefined {
  const { inner } = (node.parts ?? {}) as Partial<Around>;
  return inner instanceof Node ? inner : undefined;
}
