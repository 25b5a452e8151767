/** Returns the input name of an additional field. */
export function inputNameOf(field: string): string {
  return `field-${field}`;
}

/** Returns the name of the checkbox of a scope. */
export function scopeInputOf(scope: string): string {
  return `scope-${scope}`;
}

/** Returns `true` for the value of a checkbox that is on, or of a script. */
export function isChecked(value: unknown): boolean {
  return value === true || value === "on" || value === "true";
}
