/** Returns the name of the input of an own field. */
export function inputNameOf(field: string): string {
  return `field-${field}`;
}
