import { AppError } from '../../infra/errors/app-error.ts';
import { parseTexts } from './offline-embeddings.ts';

const texts = (count: number) => Array.from({ length: count }, () => 'word');

describe('parseTexts', () => {
  it('rejects texts that would block the process', () => {
    const longest = 'x'.repeat(100_000);
    expect(parseTexts({ input: [longest, longest] })).toMatchObject({ texts: [longest, longest] });
    expect(() => parseTexts({ input: ['a', `${longest}x`] })).toThrow(/at most 100000 characters/);
  });

  it('rejects embeddings whose numbers would block the process, unless they are encoded', () => {
    const body = { input: texts(65), dimensions: 8_192 };
    expect(() => parseTexts(body)).toThrow(AppError);
    expect(() => parseTexts(body)).toThrow(/more than 524288 numbers/);
    expect(parseTexts({ ...body, encoding_format: 'base64' })).toMatchObject({ format: 'base64' });
    expect(parseTexts({ input: texts(64), dimensions: 8_192 })).toMatchObject({ dimensions: 8_192 });
  });
});
