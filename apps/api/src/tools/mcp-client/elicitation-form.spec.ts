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
