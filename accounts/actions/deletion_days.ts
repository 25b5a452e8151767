/** Returns the days until a deletion. */
export function deletionDays(
  { deletionDelay }: { readonly deletionDelay: number },
): number {
  return Math.ceil(deletionDelay / 86_400_000);
}
