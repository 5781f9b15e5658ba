import type { DocumentSource } from './import-protocol.ts';

/** What a pasted text is: the address of a document, a curl command, or the document itself. */
export function detectSource(text: string): DocumentSource {
  const trimmed = text.trim();
  if (/^https?:\/\/\S+$/i.test(trimmed)) return { type: 'url', url: trimmed, header: null };
  if (/^curl(?:\.exe)?\s/i.test(trimmed)) return { type: 'curl', command: trimmed };
  return { type: 'text', text };
}
