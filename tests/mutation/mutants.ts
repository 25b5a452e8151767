import ts from "npm:typescript@6.0.3";

/** One change of one source file. */
export interface Mutant {
  /** The file, relative to the root. */
  readonly file: string;
  readonly line: number;
  readonly start: number;
  readonly end: number;
  /** The code before and after the change. */
  readonly was: string;
  readonly becomes: string;
}

/** New code for everything from the first node to the last one. */
type Change = readonly [becomes: string, first: ts.Node, last?: ts.Node];

/** Each comparison with its closest wrong one. */
const OPERATORS: Readonly<Record<string, string>> = {
  "===": "!==",
  "!==": "===",
  "<": "<=",
  "<=": "<",
  ">": ">=",
  ">=": ">",
  "+": "-",
  "-": "+",
};

/** Finds all mutants of a file, in the order of its lines. */
export function findMutants(file: string, text: string): Mutant[] {
  const source = parse(file, text);
  const found: Mutant[] = [];
  const visit = (node: ts.Node) => {
    // Types are erased, and no test compares the wording of each error.
    if (ts.isTypeNode(node) || ts.isThrowStatement(node)) return;
    if (ts.isImportDeclaration(node) || ts.isExportDeclaration(node)) return;
    for (const [becomes, first, last = first] of changesOf(node, source)) {
      const start = first.getStart(source);
      const end = last.getEnd();
      const line = source.getLineAndCharacterOfPosition(start).line + 1;
      const was = text.slice(start, end);
      found.push({ file, line, start, end, was, becomes });
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
  return found.sort((a, b) => a.start - b.start);
}

/** Returns the source with a mutant. */
export function mutate(text: string, { start, end, becomes }: Mutant): string {
  return text.slice(0, start) + becomes + text.slice(end);
}

/**
 * Adds a call of `__reached` with the position to each block and to each arrow
 * function without one, so that a test run tells what it has reached.
 */
export function instrument(file: string, text: string): string {
  const source = parse(file, text);
  const edits: [at: number, text: string][] = [];
  for (const place of placesOf(source)) {
    const call = `__reached(${JSON.stringify(keyOf(file, place))})`;
    if (ts.isBlock(place)) {
      edits.push([place.getStart(source) + 1, `${call};`]);
    } else if (ts.isSourceFile(place)) {
      edits.push([place.getEnd(), `\n${call};`]);
    } else {
      edits.push([place.getStart(source), `(${call}, `], [place.getEnd(), ")"]);
    }
  }
  let result = text;
  // The end of an inner function may also be the end of the outer one.
  for (const [at, added] of edits.sort((a, b) => b[0] - a[0])) {
    result = result.slice(0, at) + added + result.slice(at);
  }
  return result;
}

/** Returns the key of the innermost instrumented place around a mutant. */
export function placeOf(text: string, { end, file, start }: Mutant): string {
  const source = parse(file, text);
  const around = [...placesOf(source)].findLast((place) =>
    place.pos <= start && place.end >= end
  );
  return keyOf(file, around ?? source);
}

function keyOf(file: string, place: ts.Node): string {
  return `${file}:${ts.isSourceFile(place) ? 0 : place.pos}`;
}

/** Finds the places from the outside in. */
function* placesOf(node: ts.Node): Generator<ts.Node> {
  const isArrow = ts.isArrowFunction(node.parent ?? node) &&
    (node.parent as ts.ArrowFunction).body === node;
  if (ts.isSourceFile(node) || ts.isBlock(node) || isArrow) yield node;
  if (ts.isTypeNode(node)) return;
  const children: ts.Node[] = [];
  ts.forEachChild(node, (child) => void children.push(child));
  for (const child of children) yield* placesOf(child);
}

function changesOf(node: ts.Node, source: ts.SourceFile): readonly Change[] {
  const textOf = (part: ts.Node) => part.getText(source);
  if (ts.isIfStatement(node)) {
    const { expression } = node;
    const negated: Change = [`!(${textOf(expression)})`, expression];
    const isCheck = node.elseStatement === undefined;
    return isCheck ? [negated, ["false", expression]] : [negated];
  }
  if (ts.isConditionalExpression(node)) {
    return [[`!(${textOf(node.condition)})`, node.condition]];
  }
  // `super()` has to stay.
  if (ts.isExpressionStatement(node)) {
    return textOf(node).startsWith("super(") ? [] : [[";", node]];
  }
  if (ts.isAwaitExpression(node)) return [[textOf(node.expression), node]];
  if (ts.isBinaryExpression(node)) return binaryChanges(node, textOf);
  if (ts.isCallExpression(node)) return swapped(node, textOf);
  if (ts.isNumericLiteral(node)) return [[`(${textOf(node)} + 1)`, node]];
  if (node.kind === ts.SyntaxKind.TrueKeyword) return [["false", node]];
  if (node.kind === ts.SyntaxKind.FalseKeyword) return [["true", node]];
  return [];
}

function binaryChanges(
  node: ts.BinaryExpression,
  textOf: (node: ts.Node) => string,
): readonly Change[] {
  const { left, operatorToken, right } = node;
  const operator = textOf(operatorToken);
  if (["&&", "||", "??"].includes(operator)) {
    return [[textOf(left), node], [textOf(right), node]];
  }
  const other = OPERATORS[operator];
  return other === undefined ? [] : [[other, operatorToken]];
}

/** Swaps the first two arguments of a call if both are names. */
function swapped(
  { arguments: [first, second] }: ts.CallExpression,
  textOf: (node: ts.Node) => string,
): readonly Change[] {
  if (first === undefined || second === undefined) return [];
  const areNames = [first, second].every((one) =>
    ts.isIdentifier(one) || ts.isPropertyAccessExpression(one)
  );
  return areNames
    ? [[`${textOf(second)}, ${textOf(first)}`, first, second]]
    : [];
}

function parse(file: string, text: string): ts.SourceFile {
  return ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true);
}

/** Returns `true` if a mutant has no syntax error, which no test has to find. */
export function isValid(text: string, mutant: Mutant): boolean {
  const source = parse(mutant.file, mutate(text, mutant));
  const { parseDiagnostics = [] } = source as ts.SourceFile & {
    parseDiagnostics?: readonly unknown[];
  };
  return parseDiagnostics.length === 0;
}
