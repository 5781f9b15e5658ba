import { invalid } from '../errors/app-error.ts';

const BOUNDARY =
  /^\s*multipart\/form-data(?=\s*;).*?;\s*boundary=(?:"([\w'()+,./:=? -]{1,70})"|([^\s;"\\]{1,70}))/i;

/** Of the headers of a field, for megabytes of which the parser takes seconds. */
const MAX_HEAD_BYTES = 16_384;
const CRLF = Buffer.from('\r\n');

/** Parses a multipart form with at most `maxParts` fields, or throws VALIDATION_ERROR. */
export async function parseForm(body: Buffer, contentType: string, maxParts: number): Promise<FormData> {
  const [, quoted, bare] = BOUNDARY.exec(contentType) ?? [];
  const boundary = quoted ?? bare;
  const separator = `--${boundary ?? ''}`;
  // Every part becomes an object; a body of 25 MB has room for hundreds of thousands.
  let parts = 0;
  for (let at = body.indexOf(separator); at >= 0 && parts <= maxParts + 1; parts++) {
    const from = at + separator.length;
    const head = body.subarray(from, from + MAX_HEAD_BYTES);
    const isLong = head.length === MAX_HEAD_BYTES && !head.includes('\r\n\r\n');
    if (isLong && head.subarray(0, 2).equals(CRLF))
      throw invalid(`The headers of a field must have at most ${MAX_HEAD_BYTES} bytes`);
    at = body.indexOf(separator, from);
  }
  if (boundary === undefined || parts > maxParts + 1)
    throw invalid(`The body must be a multipart form with at most ${maxParts} fields`);
  // The parser must not find another boundary than the one that was counted.
  const headers = { 'Content-Type': `multipart/form-data; boundary="${boundary}"` };
  try {
    return await new Response(new Uint8Array(body), { headers }).formData();
  } catch {
    throw invalid('The body is not a valid multipart form');
  }
}
