const OFFLINE_DIMENSIONS = 256;

/**
 * A vector of the words of a text: each word and each triple of its characters adds to one place. Texts that share words, or
 * parts of words, are near each other. It knows no meaning: for two words of one meaning it is as good as chance.
 */
export function vectorOfWords(text: string, dimensions = OFFLINE_DIMENSIONS): Float32Array {
  const vector = new Float32Array(dimensions);
  for (const [word] of text
    .normalize('NFKC')
    .toLowerCase()
    .matchAll(/[\p{L}\p{M}\p{N}]+/gu)) {
    add(vector, word, 1);
    for (let i = 0; i + 3 <= word.length; i++) add(vector, word.slice(i, i + 3), 0.5);
  }
  const length = Math.hypot(...vector);
  // A text without words is near nothing, but a vector must have a direction.
  if (length === 0) vector[0] = 1;
  return length === 0 ? vector : vector.map((value) => value / length);
}

/** The place and the sign come from a hash (FNV-1a), so that what shares a place by chance cancels out. */
function add(vector: Float32Array, part: string, weight: number): void {
  let hash = 0x811c9dc5;
  for (let i = 0; i < part.length; i++) hash = Math.imul(hash ^ part.charCodeAt(i), 0x01000193);
  const mixed = Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d) >>> 0;
  const place = mixed % vector.length;
  vector[place] = (vector[place] ?? 0) + (mixed & 0x80000000 ? -weight : weight);
}

/** How much of the words of the query are in each text. */
export function sharesOfWords(query: string, texts: readonly string[]): number[] {
  const asked = vectorOfWords(query);
  return texts.map((text) => {
    const vector = vectorOfWords(text);
    return asked.reduce((sum, value, i) => sum + value * (vector[i] ?? 0), 0);
  });
}
