/** A route that matches a URL. */
export interface Match<Data> {
  /** What the route was added with. */
  readonly data: Data;
  /**
   * The params by name, percent-decoded, in an object without a prototype.
   * Those of optional parts that are not in the URL have no key.
   */
  readonly params: Record<string, string>;
}
