/** Silence as WAV: 16 kHz, 16 bits, one channel. */
export function makeWav(seconds: number): Buffer {
  const size = Math.round(seconds * 32_000);
  const header = Buffer.alloc(44);
  header.write('RIFF', 0);
  header.writeUInt32LE(36 + size, 4);
  header.write('WAVEfmt ', 8);
  header.writeUInt32LE(16, 16);
  header.writeUInt16LE(1, 20);
  header.writeUInt16LE(1, 22);
  header.writeUInt32LE(16_000, 24);
  header.writeUInt32LE(32_000, 28);
  header.writeUInt16LE(2, 32);
  header.writeUInt16LE(16, 34);
  header.write('data', 36);
  header.writeUInt32LE(size, 40);
  return Buffer.concat([header, Buffer.alloc(size)]);
}

/** Silent frames of MPEG-1 layer III: 32 kbit/s, 32 kHz, one channel; each lasts 36 ms and has 144 bytes. */
export function makeMp3(seconds: number): Buffer {
  const frame = Buffer.alloc(144);
  frame.set([0xff, 0xfb, 0x18, 0xc4]);
  return Buffer.concat(Array.from({ length: Math.ceil(seconds / 0.036) }, () => frame));
}

/** Frames of AAC in ADTS: 16 kHz, one channel; each lasts 64 ms. */
export function makeAac(seconds: number): Buffer {
  const frame = Buffer.alloc(32);
  const length = frame.length;
  frame.set([
    0xff,
    0xf1,
    0x60,
    0x40 | (length >> 11),
    (length >> 3) & 0xff,
    ((length & 7) << 5) | 0x1f,
    0xfc,
  ]);
  return Buffer.concat(Array.from({ length: Math.ceil(seconds / 0.064) }, () => frame));
}

function box(type: string, ...parts: Buffer[]): Buffer {
  const body = Buffer.concat(parts);
  const header = Buffer.alloc(8);
  header.writeUInt32BE(8 + body.length);
  header.write(type, 4);
  return Buffer.concat([header, body]);
}

/** The start of an MPEG-4 file with brands, such as `M4A `. */
export function makeMp4(brands: string): Buffer {
  return Buffer.concat([
    box('ftyp', Buffer.from(`${brands.slice(0, 4)}\0\0\0\0${brands}`, 'latin1')),
    box('mdat', Buffer.alloc(64)),
  ]);
}
