import type { JsonObject } from '../../infra/runtime/json.ts';
import { MAX_DIMENSIONS, MAX_EMBEDDED_TEXTS } from '../../models/port/model-provider.ts';
import { invalidField } from '../requests/relay-request.ts';

/** Many times what embedding models accept. A longer text would block the process for too long. */
const MAX_TEXT_LENGTH = 100_000;
/** Formatting more numbers would block the process for too long. */
const MAX_NUMBERS = 512 * 1024;

type Encoding = 'float' | 'base64';

export interface EmbeddedTexts {
  texts: string[];
  dimensions?: number;
  format: Encoding;
}

/** Parses a request for embeddings for a built-in provider. Throws 400 that names an invalid field. */
export function parseTexts({
  input,
  dimensions,
  encoding_format: format = 'float',
}: JsonObject): EmbeddedTexts {
  const texts: unknown[] = Array.isArray(input) ? input : [input];
  if (!texts.every((text) => typeof text === 'string' && text !== ''))
    throw invalidField('input', 'input must be a text, or several: this model does not read tokens');
  if (texts.length > MAX_EMBEDDED_TEXTS)
    throw invalidField('input', `input must be at most ${MAX_EMBEDDED_TEXTS} texts`);
  if (texts.some((text) => (text as string).length > MAX_TEXT_LENGTH))
    throw invalidField('input', `input must be texts of at most ${MAX_TEXT_LENGTH} characters`);
  if (format !== 'float' && format !== 'base64')
    throw invalidField('encoding_format', 'encoding_format must be float or base64');
  const asked = dimensions ?? undefined;
  if (asked !== undefined && !isDimension(asked))
    throw invalidField('dimensions', `dimensions must be an integer from 1 to ${MAX_DIMENSIONS}`);
  if (format === 'float' && texts.length * (asked ?? 0) > MAX_NUMBERS)
    throw invalidField(
      'dimensions',
      `The embeddings would have more than ${MAX_NUMBERS} numbers: send fewer texts, or use encoding_format base64`,
    );
  return { texts: texts as string[], format, ...(asked !== undefined && { dimensions: asked }) };
}

function isDimension(value: unknown): value is number {
  return Number.isInteger(value) && Number(value) >= 1 && Number(value) <= MAX_DIMENSIONS;
}

/** Formats vectors as OpenAI does. */
export function formatEmbeddings(
  model: string,
  vectors: readonly Float32Array[],
  format: Encoding,
  promptTokens: number,
): object {
  const data = vectors.map((vector, index) => {
    const { buffer, byteOffset, byteLength } = vector;
    const embedding =
      format === 'float'
        ? Array.from(vector)
        : Buffer.from(buffer, byteOffset, byteLength).toString('base64');
    return { object: 'embedding', index, embedding };
  });
  const usage = { prompt_tokens: promptTokens, total_tokens: promptTokens };
  return { object: 'list', data, model, usage };
}
