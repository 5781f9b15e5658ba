/**
 * The text of bytes: UTF-16 by its mark or as it is declared, or UTF-8, otherwise in the declared charset, or GB18030, which
 * contains GBK. Servers declare charsets for files that they do not know, and what is valid UTF-8 is hardly anything else.
 */
export function decodeText(bytes: Uint8Array, charset = ''): string {
  const [first, second] = bytes;
  if (first === 0xff && second === 0xfe) return new TextDecoder('utf-16le').decode(bytes);
  if (first === 0xfe && second === 0xff) return new TextDecoder('utf-16be').decode(bytes);
  const declared = createDecoder(charset);
  if (declared?.encoding.startsWith('utf-16')) return declared.decode(bytes);
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    // UTF-8 is declared for other texts, too.
    const isUsable = declared !== null && declared.encoding !== 'utf-8';
    return (isUsable ? declared : new TextDecoder('gb18030')).decode(bytes);
  }
}

/** Null for a name that is no charset. */
function createDecoder(charset: string): TextDecoder | null {
  try {
    return charset === '' ? null : new TextDecoder(charset);
  } catch {
    return null;
  }
}
