const HEADER_BYTES = 44;
const BYTES_PER_SAMPLE = 2;

/** Encodes samples between -1 and 1 as a WAV file with 16 bits and one channel. */
export function encodeWav(samples: Float32Array, sampleRate: number): Blob {
  const size = samples.length * BYTES_PER_SAMPLE;
  const view = new DataView(new ArrayBuffer(HEADER_BYTES + size));
  writeText(view, 0, 'RIFF');
  view.setUint32(4, HEADER_BYTES - 8 + size, true);
  writeText(view, 8, 'WAVEfmt ');
  view.setUint32(16, 16, true);
  // PCM, one channel.
  view.setUint16(20, 1, true);
  view.setUint16(22, 1, true);
  view.setUint32(24, sampleRate, true);
  view.setUint32(28, sampleRate * BYTES_PER_SAMPLE, true);
  view.setUint16(32, BYTES_PER_SAMPLE, true);
  view.setUint16(34, 8 * BYTES_PER_SAMPLE, true);
  writeText(view, 36, 'data');
  view.setUint32(40, size, true);
  for (const [i, sample] of samples.entries()) {
    const clipped = Math.max(-1, Math.min(1, sample));
    view.setInt16(HEADER_BYTES + i * BYTES_PER_SAMPLE, Math.round(clipped * 0x7fff), true);
  }
  return new Blob([view.buffer], { type: 'audio/wav' });
}

/** Joins blocks of samples, without what exceeds `most`. */
export function joinBlocks(blocks: readonly Float32Array[], most: number): Float32Array<ArrayBuffer> {
  const length = Math.min(
    most,
    blocks.reduce((sum, block) => sum + block.length, 0),
  );
  const joined = new Float32Array(length);
  let at = 0;
  for (const block of blocks) {
    if (at >= length) break;
    joined.set(block.subarray(0, length - at), at);
    at += block.length;
  }
  return joined;
}

/** How loud a block is: the root of its mean square, between 0 and 1. */
export function levelOf(block: Float32Array): number {
  if (block.length === 0) return 0;
  return Math.min(1, Math.sqrt(block.reduce((sum, sample) => sum + sample * sample, 0) / block.length));
}

function writeText(view: DataView, at: number, text: string): void {
  for (let i = 0; i < text.length; i++) view.setUint8(at + i, text.charCodeAt(i));
}
