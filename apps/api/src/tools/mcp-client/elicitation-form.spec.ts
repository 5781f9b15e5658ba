import type { JsonObject } from '../../infra/runtime/json.ts';
import { toContinuation, toPause } from './elicitation-form.ts';

/** What the server receives for the values of a form. */
function answer(requestedSchema: JsonObject, values: JsonObject | null) {
  const params = { message: 'Which?', requestedSchema };
  const { need } = toPause({ inputRequests: { one: { method: 'elicitation/create', params } } });
  if (need.kind !== 'FORM') throw new Error('It is no form');
  return toContinuation({ state: need.state, values }).inputResponses?.one;
}

const list = { type: 'array', items: { type: 'string', enum: ['red', 'blue'] } };

it('sends a list that is required also if nothing is chosen, because its server would refuse the form', () => {
  const schema = { type: 'object', properties: { colors: list, more: list }, required: ['colors'] };
  expect(answer(schema, {})).toEqual({ action: 'accept', content: { colors: [] } });
  expect(answer(schema, { field_1: false, field_2: true, field_3: true })).toEqual({
    action: 'accept',
    content: { colors: ['blue'], more: ['red'] },
  });
  expect(answer(schema, null)).toEqual({ action: 'decline' });
});

it('fits into a frame, in whatever language it is', () => {
  const ask = (count: number) => {
    const names = Array.from({ length: count }, (_, i) => `f${i}`);
    const properties = Object.fromEntries(
      names.map((name) => [name, { type: 'string', title: '字'.repeat(150) }]),
    );
    const params = { message: '字'.repeat(10_000), requestedSchema: { type: 'object', properties } };
    const { need } = toPause({ inputRequests: { one: { method: 'elicitation/create', params } } });
    return Buffer.byteLength(JSON.stringify({ ...need, state: '' }));
  };
  expect(ask(30)).toBeLessThan(24 * 1024);
  expect(() => ask(40)).toThrow(/for more than a form can have/);
});
