/** A value that the authenticator of tests encodes. */
export type CBORValue =
  | number
  | string
  | Uint8Array
  | ReadonlyMap<string | number, CBORValue>;

/** Encodes a value as CBOR. Numbers and lengths have at most two bytes. */
export function encodeCBOR(value: CBORValue): Uint8Array<ArrayBuffer> {
  return new Uint8Array(encode(value));
}

function encode(value: CBORValue): number[] {
  if (typeof value === "number") {
    return value < 0 ? head(1, -1 - value) : head(0, value);
  }
  if (value instanceof Uint8Array) return [...head(2, value.length), ...value];
  if (typeof value === "string") {
    const bytes = new TextEncoder().encode(value);
    return [...head(3, bytes.length), ...bytes];
  }
  const items = [...value].flatMap(([key, item]) => [
    ...encode(key),
    ...encode(item),
  ]);
  return [...head(5, value.size), ...items];
}

function head(type: number, argument: number): number[] {
  const first = type << 5;
  if (argument < 24) return [first | argument];
  return argument < 256
    ? [first | 24, argument]
    : [first | 25, argument >> 8, argument & 255];
}
