/** The number of concurrent calls. */
const CONCURRENT = 20;

/** Calls a function for each item, with a limited number of concurrent calls. */
export async function inBatches<Item, Result>(
  items: readonly Item[],
  run: (item: Item) => Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = [];
  for (let start = 0; start < items.length; start += CONCURRENT) {
    const batch = items.slice(start, start + CONCURRENT).map(run);
    results.push(...await Promise.all(batch));
  }
  return results;
}
