/** Divides a list into portions of a size, the last of which may be smaller; none if it is empty. */
export function inPortions<T>(items: readonly T[], size: number): T[][] {
  const count = Math.ceil(items.length / size);
  return Array.from({ length: count }, (_, i) => items.slice(i * size, (i + 1) * size));
}
