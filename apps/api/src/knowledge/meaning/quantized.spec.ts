import { conceptEmbedder } from '../../../e2e/fixtures/concept-embedding.ts';
import { bytesOf, codeOf, similarity } from './quantized.ts';

const embed = conceptEmbedder([
  ['cat', '猫'],
  ['dog', '狗'],
  ['invoice', '发票'],
]);
const vectorOf = (text: string) => Float32Array.from(embed(text));

const exact = (a: Float32Array, b: Float32Array) => a.reduce((sum, value, i) => sum + value * (b[i] ?? 0), 0);

describe('the codes and bytes of vectors', () => {
  it('are the signs, and the values in one byte each', () => {
    const vector = Float32Array.of(0.5, -0.25, 0, 1);
    expect(codeOf(vector)).toBe('1001');
    expect([...new Int8Array(bytesOf(vector))]).toEqual([64, -32, 0, 127]);
  });

  it('compare as the vectors do, within a hundredth', () => {
    const texts = ['the cat sleeps', '一只猫', 'a dog', 'an invoice for a dog', 'nothing of it'].map(
      vectorOf,
    );
    for (const a of texts)
      for (const b of texts) expect(similarity(a, bytesOf(b))).toBeCloseTo(exact(a, b), 2);
  });

  it('know no length: a vector and its double are the same', () => {
    const vector = vectorOf('the cat sleeps');
    expect(bytesOf(vector.map((value) => 2 * value))).toEqual(bytesOf(vector));
    expect(codeOf(vector.map((value) => 2 * value))).toBe(codeOf(vector));
  });

  it('survive a vector without a direction', () => {
    expect([...bytesOf(new Float32Array(3))]).toEqual([0, 0, 0]);
    expect(similarity(Float32Array.of(1, 0, 0), bytesOf(new Float32Array(3)))).toBe(0);
  });

  it('differ in fewer bits, the nearer the vectors are', () => {
    const bits = (a: string, b: string) =>
      [...codeOf(vectorOf(a))].filter((bit, i) => bit !== codeOf(vectorOf(b))[i]).length;
    expect(bits('the cat sleeps', '一只猫')).toBeLessThan(bits('the cat sleeps', '一张发票'));
  });
});
