/** How often sessions are listed until no new one is among them. */
const MAX_ROUNDS = 5;

/**
 * Ends the sessions of a list. One that changed its id since it was listed is in
 * the next list, so that the list is read until nothing new is in it.
 *
 * @param list Lists the ids.
 * @param end Ends one; tells whether there was one.
 * @param except The id of one that goes on.
 * @returns How many were ended.
 */
export async function endListed(
  list: () => Promise<readonly string[]>,
  end: (id: string) => Promise<boolean>,
  except?: string,
): Promise<number> {
  const seen = new Set([except]);
  let count = 0;
  for (let round = 0; round < MAX_ROUNDS; round++) {
    const ids = (await list()).filter((id) => !seen.has(id));
    if (ids.length === 0) break;
    for (const id of ids) {
      seen.add(id);
      if (await end(id)) count++;
    }
  }
  return count;
}
