/** Returns the bytes of a file as a `data:` URI. */
export async function toDataUri(file: Blob): Promise<string> {
  const type = (file.type || 'application/octet-stream').split(';')[0] ?? '';
  const bytes = new Uint8Array(await file.arrayBuffer());
  let binary = '';
  for (let at = 0; at < bytes.length; at += 0x8000)
    binary += String.fromCharCode(...bytes.subarray(at, at + 0x8000));
  return `data:${type};base64,${btoa(binary)}`;
}
