/** The signs of a vector as PostgreSQL writes bits. Vectors of similar direction differ in few of them. */
export function codeOf(vector: Float32Array): string {
  let bits = '';
  for (const value of vector) bits += value > 0 ? '1' : '0';
  return bits;
}

/** Each value in one byte, the largest one as 127. The length of the vector is lost, and no comparison needs it. */
export function bytesOf(vector: Float32Array): Buffer {
  const largest = vector.reduce((most, value) => Math.max(most, Math.abs(value)), 0);
  const bytes = Int8Array.from(vector, (value) => (largest === 0 ? 0 : Math.round((value / largest) * 127)));
  return Buffer.from(bytes.buffer);
}

/** The cosine of the angle between a vector and the bytes of another one; 0 if one of them has no direction. */
export function similarity(vector: Float32Array, bytes: Buffer): number {
  let [dot, ofVector, ofBytes] = [0, 0, 0];
  for (let i = 0; i < vector.length; i++) {
    const a = vector[i] ?? 0;
    const b = ((bytes[i] ?? 0) << 24) >> 24;
    dot += a * b;
    ofVector += a * a;
    ofBytes += b * b;
  }
  const lengths = Math.sqrt(ofVector * ofBytes);
  return lengths === 0 ? 0 : dot / lengths;
}
