import { expect, it } from '@jest/globals';
import type { Agent, AgentListing } from '@platform/contracts';
import { sortAgents } from './sort-agents.ts';

const listing = (name: string): AgentListing => ({
  id: name,
  name,
  description: '',
  accessScope: 'SPACE',
  accessible: true,
});
const full = (name: string, updatedAt: string) =>
  ({ ...listing(name), systemPrompt: '', updatedAt }) as Agent;
const AGENTS = [
  full('beta', '2026-03-01T00:00:00Z'),
  listing('Gamma'),
  full('alpha', '2026-02-01T00:00:00Z'),
];
const namesBy = (order: Parameters<typeof sortAgents>[1]) =>
  sortAgents(AGENTS, order).map(({ name }) => name);

it('sorts agents by name and by their last change, and keeps the order of the service otherwise', () => {
  expect(namesBy('name')).toEqual(['alpha', 'beta', 'Gamma']);
  expect(namesBy('changed')).toEqual(['beta', 'alpha', 'Gamma']);
  expect(namesBy(undefined)).toEqual(['beta', 'Gamma', 'alpha']);
});
