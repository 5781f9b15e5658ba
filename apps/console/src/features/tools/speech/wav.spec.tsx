import { describe, expect, it } from '@jest/globals';
import { encodeWav, joinBlocks, levelOf } from './wav.ts';

async function bytesOf(blob: Blob): Promise<DataView> {
  // jsdom's Blob has no arrayBuffer().
  const buffer = await new Promise<ArrayBuffer>((resolve) => {
    const reader = new FileReader();
    reader.onload = () => resolve(reader.result as ArrayBuffer);
    reader.readAsArrayBuffer(blob);
  });
  return new DataView(buffer);
}

const textAt = (view: DataView, at: number, length: number) =>
  Array.from({ length }, (_, i) => String.fromCharCode(view.getUint8(at + i))).join('');

describe('encodeWav', () => {
  it('writes the header of 16-bit PCM with one channel', async () => {
    const blob = encodeWav(new Float32Array(16_000), 16_000);
    const view = await bytesOf(blob);
    expect(blob.type).toBe('audio/wav');
    expect(view.byteLength).toBe(32_044);
    expect([textAt(view, 0, 4), textAt(view, 8, 8), textAt(view, 36, 4)]).toEqual([
      'RIFF',
      'WAVEfmt ',
      'data',
    ]);
    expect([4, 16, 24, 28, 40].map((at) => view.getUint32(at, true))).toEqual([
      32_036, 16, 16_000, 32_000, 32_000,
    ]);
    expect([20, 22, 32, 34].map((at) => view.getUint16(at, true))).toEqual([1, 1, 2, 16]);
  });

  it('scales samples and clips those that are too loud', async () => {
    const view = await bytesOf(encodeWav(new Float32Array([0, 0.5, 1, -1, 2, -3]), 16_000));
    const samples = Array.from({ length: 6 }, (_, i) => view.getInt16(44 + i * 2, true));
    expect(samples).toEqual([0, 16_384, 32_767, -32_767, 32_767, -32_767]);
  });
});

describe('joinBlocks', () => {
  const blocks = [new Float32Array([1, 2]), new Float32Array([3, 4]), new Float32Array([5])];

  it('joins all blocks up to the limit', () => {
    expect([...joinBlocks(blocks, 100)]).toEqual([1, 2, 3, 4, 5]);
    expect([...joinBlocks(blocks, 3)]).toEqual([1, 2, 3]);
    expect([...joinBlocks([], 3)]).toEqual([]);
  });
});

describe('levelOf', () => {
  it('is 0 for silence and 1 at most', () => {
    expect(levelOf(new Float32Array(10))).toBe(0);
    expect(levelOf(new Float32Array([0.5, -0.5]))).toBeCloseTo(0.5);
    expect(levelOf(new Float32Array([2, -2]))).toBe(1);
    expect(levelOf(new Float32Array())).toBe(0);
  });
});
