import { AppError } from '../../infra/errors/app-error.ts';
import { parseTexts } from './offline-embeddings.ts';

const texts = (count: number) => Array.from({ length: count }, () => 'word');

describe('parseTexts', () => {
  it('rejects embeddings whose numbers would block the process, unless they are encoded', () => {
    const body = { input: texts(65), dimensions: 8_192 };
    expect(() => parseTexts(body)).toThrow(AppError);
    expect(() => parseTexts(body)).toThrow(/more than 524288 numbers/);
    expect(parseTexts({ ...body, encoding_format: 'base64' })).toMatchObject({ format: 'base64' });
    expect(parseTexts({ input: texts(64), dimensions: 8_192 })).toMatchObject({ dimensions: 8_192 });
  });
});
