import {
  array,
  lazy,
  number,
  object,
  parse,
  parseSafe,
  type Schema,
} from "@gatehouse/web/data-schema";
import { assertEquals, assertStrictEquals } from "@std/assert";

Deno.test("lazy() describes values that contain themselves", () => {
  interface Tree {
    value: number;
    children: Tree[];
  }
  const Tree: Schema<Tree> = object({
    value: number(),
    children: array(lazy(() => Tree)),
  });
  const tree = { value: 1, children: [{ value: 2, children: [] }] };

  assertStrictEquals(parse(Tree, tree), tree);
  const result = parseSafe(Tree, {
    value: 1,
    children: [{ value: "2", children: [] }],
  });
  assertEquals(result.success ? [] : result.issues[0]?.path, [
    "children",
    0,
    "value",
  ]);
});
