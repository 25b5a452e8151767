/** Reports a problem of the log itself. It never throws. */
export function report(problem: unknown): void {
  try {
    console.error(problem);
  } catch {
    // A `console.error` that the application replaced must not fail a request.
  }
}
