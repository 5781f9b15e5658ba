import type { ModelPart } from '../../models/port/model-provider.ts';
import { invalidField } from '../requests/relay-request.ts';

/** Parses one part of a content; `at` is its name in errors. */
type ParsePart = (part: unknown, at: string) => ModelPart;

/** Parses contents: a string, or an array of parts. `textName` is what errors call a part that is text. */
export function contentParser(parsePart: ParsePart, textName: string) {
  function parseParts(content: unknown, at: string): ModelPart[] {
    if (typeof content === 'string') return [{ type: 'text', text: content }];
    if (!Array.isArray(content)) throw invalidField(at, `${at} must be a string or an array of parts`);
    return content.map((part, i) => parsePart(part, `${at}[${i}]`));
  }

  function parseText(content: unknown, at: string): string {
    return parseParts(content, at)
      .map((part, i) => {
        if (part.type !== 'text') throw invalidField(`${at}[${i}]`, `${at}[${i}] must be ${textName}`);
        return part.text;
      })
      .join('\n');
  }

  return { parseParts, parseText };
}

/** Parses a file that is sent as a data URI. */
export function parseFileData(filename: unknown, uri: string): ModelPart {
  const [, mime = 'application/octet-stream', data = ''] = /^data:([^;,]*);base64,(.*)$/s.exec(uri) ?? [];
  return { type: 'file', filename: typeof filename === 'string' ? filename : 'file', mime, data };
}
