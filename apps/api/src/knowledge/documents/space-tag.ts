/**
 * What precedes the terms of a space in the index, so that the entries of spaces lie apart. Two spaces with the same tag,
 * however unlikely, would only cost time: every search filters by the space as well.
 */
export function spaceTag(spaceId: string): string {
  return `${spaceId.slice(-8)}:`;
}
