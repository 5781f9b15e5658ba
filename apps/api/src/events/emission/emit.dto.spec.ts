import fc from 'fast-check';
import { BodyPipe } from '../../infra/requests/validation.pipe.ts';
import { EmitDto, readPlainEmit } from './emit.dto.ts';

const text = (most: number) =>
  fc.oneof(
    fc.string({ maxLength: 20, unit: 'grapheme' }),
    fc.string({ maxLength: 20, unit: 'binary' }),
    fc.constantFrom('', 'x', '\0', '\ud800', 'x'.repeat(most), 'x'.repeat(most + 1), '😀'.repeat(most)),
  );
const field = (value: fc.Arbitrary<unknown>) =>
  fc.oneof({ weight: 4, arbitrary: value }, fc.constantFrom(undefined, null, 1, false, [], {}));
const emission = fc.record(
  {
    appIdentifier: field(text(200)),
    event: field(text(200)),
    payload: field(fc.dictionary(fc.string(), fc.jsonValue())),
    idempotencyKey: field(text(255)),
    more: fc.jsonValue(),
  },
  { requiredKeys: ['appIdentifier', 'event', 'payload'] },
);

describe('readPlainEmit', () => {
  it('recognizes what is usual', () => {
    const request = { appIdentifier: 'shop', event: 'order.created', payload: { n: 1 } };
    expect(readPlainEmit(request)).toEqual(request);
    expect(readPlainEmit({ ...request, idempotencyKey: 'A-1' })).toEqual({
      ...request,
      idempotencyKey: 'A-1',
    });
  });

  const pipe = new BodyPipe();
  const check = async (value: unknown) => {
    const checked = await pipe.transform(value, { type: 'body', metatype: EmitDto });
    return { ...(checked as EmitDto) };
  };

  it('accepts nothing that the rules of the DTO refuse, and reads it alike', async () => {
    const values = fc.oneof(emission, fc.jsonValue(), fc.constant(JSON.parse('{"__proto__": {}}')));
    await fc.assert(
      fc.asyncProperty(values, async (value) => {
        const plain = readPlainEmit(value);
        if (plain !== null) expect(plain).toEqual(await check(value));
      }),
    );
  });

  it('accepts every request without odd texts', async () => {
    const name = fc.string({ minLength: 1, maxLength: 10, unit: 'grapheme' });
    const request = fc.record(
      {
        appIdentifier: name,
        event: name,
        payload: fc.dictionary(fc.string(), fc.jsonValue()),
        idempotencyKey: name,
      },
      { requiredKeys: ['appIdentifier', 'event', 'payload'] },
    );
    await fc.assert(
      fc.asyncProperty(request, async (value) => {
        expect(readPlainEmit(value)).toEqual(await check(value));
      }),
    );
  });
});
