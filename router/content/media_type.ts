/** Returns the media type of a body in lower case, without its parameters. */
export function mediaTypeOf(
  { headers }: { readonly headers: Headers },
): string {
  return mediaType(headers.get("Content-Type") ?? "");
}

/** Returns the media type of a `Content-Type` header, as above. */
export function mediaType(contentType: string): string {
  return contentType.split(";", 1)[0]!.trim().toLowerCase();
}
