import type { KnowledgeEncoding } from '@platform/contracts';

// Runs in the extraction thread, which Node.js does not compile: only types that can be removed are allowed.

const GUESSED: readonly KnowledgeEncoding[] = ['gb18030', 'big5', 'shift_jis', 'windows-1252'];

/** What decides. */
const SAMPLE_BYTES = 64 * 1024;
/** Below that, the bytes are no text in this encoding. */
const MIN_SCORE = 0.3;
/** Control characters, which texts hardly have. */
const MAX_CONTROLS = 0.01;

/** How common a character of two bytes is in texts of an encoding, 0 to 1; null if it has only one byte. */
type Rating = (lead: number, trail: number) => number | null;

const between = (byte: number, from: number, to: number) => byte >= from && byte <= to;

/** The common characters of each encoding have a range of lead bytes of their own. */
const RATINGS: Record<Exclude<KnowledgeEncoding, 'windows-1252'>, Rating> = {
  gb18030: (lead, trail) => {
    if (trail < 0xa1) return 0;
    return between(lead, 0xb0, 0xd7)
      ? 1
      : lead === 0xa1 || lead === 0xa3
        ? 0.9
        : between(lead, 0xd8, 0xf7)
          ? 0.3
          : 0;
  },
  big5: (lead) => (between(lead, 0xa4, 0xc6) ? 1 : between(lead, 0xa1, 0xa3) ? 0.9 : 0.2),
  shift_jis: (lead, trail) => {
    if (between(lead, 0xa1, 0xdf)) return null;
    if (lead === 0x82 && trail >= 0x9f) return 1;
    return lead === 0x83 ? 1 : lead === 0x81 ? 0.9 : between(lead, 0x88, 0x97) ? 0.8 : 0.2;
  },
};

/** The encodings in which bytes that are no UTF-8 make sense, the most probable first; none for what is no text. */
export function guessEncodings(bytes: Uint8Array): KnowledgeEncoding[] {
  const sample = bytes.subarray(0, SAMPLE_BYTES);
  const controls = sample.reduce((sum, byte) => sum + (byte < 0x20 && !between(byte, 0x09, 0x0d) ? 1 : 0), 0);
  if (controls > sample.length * MAX_CONTROLS) return [];
  const scores = GUESSED.map((encoding) => {
    const score = encoding === 'windows-1252' ? scoreLetters(sample) : scorePairs(sample, RATINGS[encoding]);
    return { encoding, score };
  });
  return scores
    .filter(({ score }) => score >= MIN_SCORE)
    .sort((a, b) => b.score - a.score)
    .map(({ encoding }) => encoding);
}

function scorePairs(sample: Uint8Array, rate: Rating): number {
  let [sum, count] = [0, 0];
  for (let i = 0; i < sample.length; i++) {
    const lead = sample[i] ?? 0;
    if (lead < 0x80) continue;
    count++;
    const rated = rate(lead, sample[i + 1] ?? 0);
    if (rated === null) continue;
    sum += rated;
    i++;
  }
  return count === 0 ? 0 : sum / count;
}

/** European texts have single accented letters beside unaccented ones. */
function scoreLetters(sample: Uint8Array): number {
  let [sum, count] = [0, 0];
  for (let i = 0; i < sample.length; i++) {
    if ((sample[i] ?? 0) < 0x80) continue;
    count++;
    if ((sample[i - 1] ?? 0) < 0x80 && (sample[i + 1] ?? 0) < 0x80) sum += 0.95;
  }
  return count === 0 ? 0 : sum / count;
}
