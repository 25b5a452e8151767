/** Returns the name of the input of an own field. */
export function inputNameOf(field: string): string {
  return `field-${field}`;
}

/** Returns the name of the checkbox of a scope. */
export function scopeInputOf(scope: string): string {
  return `scope-${scope}`;
}
