import type { CallToolResult, ContentBlock } from '@modelcontextprotocol/client';
import { deeperThan } from '../../infra/requests/json-shape.ts';
import { isObject } from '../../infra/runtime/json.ts';
import { bareType, fileName } from '../calls/media-types.ts';
import type { BinaryOutput } from '../calls/tool-output.ts';

/** Deeper output is text: not every reader could handle it. */
const MAX_DEPTH = 64;
const MAX_NAME = 200;
const MAX_FILES = 20;
/** The status of a result that is an error: the server has understood the call. */
const ERROR_STATUS = 422;

/** What a result is for callers. */
export interface ReadResult {
  status: number;
  output: unknown;
  hasFiles: boolean;
  /** Whether the output is JSON, or text that nobody has promised to be JSON. */
  isUsable: boolean;
  warnings: string[];
}

type Keep = (file: BinaryOutput) => Promise<{ output: unknown; warnings: string[] }>;

/**
 * Reads a result: its structured content, otherwise its blocks: one is the output itself, texts are one text, and others a list.
 * A text that is a JSON object or array is read as such. Files are kept, and the output has references to them.
 */
export async function readResult(
  result: CallToolResult,
  wantsJson: boolean,
  keep: Keep,
): Promise<ReadResult> {
  const { isError = false, structuredContent } = result;
  const warnings: string[] = [];
  const parts: unknown[] = [];
  let files = 0;
  let leftOut = 0;
  for (const block of result.content) {
    const file = fileOf(block);
    if (file === null) parts.push(textOf(block));
    else if (files === MAX_FILES) leftOut++;
    else {
      files++;
      const kept = await keep(file);
      parts.push(kept.output);
      warnings.push(...kept.warnings);
    }
  }
  const hasFiles = files > 0;
  if (leftOut > 0) warnings.push(`The result has more than ${MAX_FILES} files: ${leftOut} were left out`);
  const status = isError ? ERROR_STATUS : 200;
  const isStructured = structuredContent !== undefined && !isError;
  if (isStructured && deeperThan(structuredContent, MAX_DEPTH)) {
    const deep = 'The output has too many levels to be read as JSON';
    const output = JSON.stringify(structuredContent);
    return { status, output, hasFiles, isUsable: false, warnings: [...warnings, deep] };
  }
  if (isStructured) {
    // What the content repeats is left out; files are in it alone.
    for (const part of parts)
      if (isObject(part)) warnings.push(`The result has a file: ${JSON.stringify(part)}`);
    return { status, output: structuredContent, hasFiles, isUsable: true, warnings };
  }
  const output = join(parts);
  if (wantsJson && !isError && !hasFiles && typeof output === 'string') {
    warnings.push('The output is not JSON, although the method declares a schema for it');
    return { status, output, hasFiles, isUsable: false, warnings };
  }
  return { status, output, hasFiles, isUsable: !isError && !hasFiles, warnings };
}

function join(parts: unknown[]): unknown {
  if (parts.length === 0) return null;
  if (!parts.every((part) => typeof part === 'string')) return parts.length === 1 ? parts[0] : parts;
  const text = parts.join('\n\n');
  return parts.length === 1 ? readJson(text) : text;
}

function readJson(text: string): unknown {
  if (!/^\s*[[{]/.test(text)) return text;
  try {
    const value: unknown = JSON.parse(text);
    return deeperThan(value, MAX_DEPTH) ? text : value;
  } catch {
    return text;
  }
}

/** Null for what is text. */
function fileOf(block: ContentBlock): BinaryOutput | null {
  switch (block.type) {
    case 'image':
    case 'audio':
      return toFile(block.data, block.mimeType, null);
    case 'resource':
      return 'blob' in block.resource
        ? toFile(block.resource.blob, block.resource.mimeType ?? '', block.resource.uri)
        : null;
    case 'text':
    case 'resource_link':
      return null;
  }
}

function toFile(base64: string, type: string, uri: string | null): BinaryOutput {
  const mediaType = bareType(type).slice(0, MAX_NAME) || 'application/octet-stream';
  const last = uri === null ? '' : (uri.split(/[/\\]/).at(-1) ?? '').slice(0, MAX_NAME);
  const name = last.replace(/[\p{C}<>:"|?*#]/gu, '').replace(/^\.+/, '');
  return { name: name || fileName('result', mediaType), mediaType, data: Buffer.from(base64, 'base64') };
}

function textOf(block: ContentBlock): string {
  switch (block.type) {
    case 'text':
      return block.text;
    case 'resource_link': {
      const { name, uri, description } = block;
      return `${name}: ${uri}${description === undefined ? '' : ` (${description})`}`;
    }
    case 'resource':
      return 'text' in block.resource ? block.resource.text : '';
    case 'image':
    case 'audio':
      return '';
  }
}
