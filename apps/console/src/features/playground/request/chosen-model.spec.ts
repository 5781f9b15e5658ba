import { expect, it } from '@jest/globals';
import type { Agent, AgentListing } from '@platform/contracts';
import { getChosenModel, listChoices } from './chosen-model.ts';

it('takes a model from the URL only for who may choose one, and shows also one that does not exist', () => {
  const agent = { systemPrompt: '', model: 'own' } as Agent;
  expect(['other', ' other ', 'own', '', ' ', null].map((named) => getChosenModel(agent, named))).toEqual([
    'other',
    'other',
    undefined,
    undefined,
    undefined,
    undefined,
  ]);
  expect(getChosenModel({ id: 'a' } as AgentListing, 'other')).toBeUndefined();
  expect(listChoices(['own', 'other'], agent, 'other')).toEqual(['other']);
  expect(listChoices(['own', 'other'], agent, 'unknown')).toEqual(['unknown', 'other']);
});
