import type { Leaf, Node } from "./_route_tree.ts";

/** Returns the more specific one of two leaves. */
export function moreSpecific<Data>(
  leaf: Leaf<Data>,
  other: Leaf<Data> | null,
): Leaf<Data> {
  return other === null || leaf.key < other.key ||
      (leaf.key === other.key && leaf.sequence < other.sequence)
    ? leaf
    : other;
}

/** Returns the most specific leaf at or below a node. */
export function bestOf<Data>(node: Node<Data>): Leaf<Data> {
  if (node.best === null) {
    let best = bestAmong(node.child, bestDynamicOf(node));
    for (let { leaf } = node; leaf !== null; leaf = leaf.next) {
      best = moreSpecific(leaf, best);
    }
    node.best = best;
  }
  return node.best!;
}

/** Returns the most specific leaf after a node's param and branches. */
export function bestDynamicOf<Data>(node: Node<Data>): Leaf<Data> | null {
  if (node.bestDynamic === null) {
    let best = node.param && bestOf(node.param);
    for (const branch of node.branches ?? []) {
      best = moreSpecific(bestOf(branch.node), best);
    }
    node.bestDynamic = best;
  }
  return node.bestDynamic;
}

/** Returns the most specific leaf of a tree of children, or the given one. */
function bestAmong<Data>(
  child: Node<Data> | null,
  given: Leaf<Data> | null,
): Leaf<Data> | null {
  if (child === null) return given;
  const best = bestAmong(child.low, moreSpecific(bestOf(child), given));
  return bestAmong(child.high, best);
}
