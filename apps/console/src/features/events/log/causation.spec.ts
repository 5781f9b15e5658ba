import { expect, it } from '@jest/globals';
import type { CausationNode } from '@platform/contracts';
import { buildCausation, type CausationBranch } from './causation.ts';

const node = (envelopeId: string, depth: number, causationId: string | null): CausationNode => ({
  envelopeId,
  event: 'a.b',
  status: 'DISPATCHED',
  statusReason: null,
  depth,
  causationId,
  emittedAt: '2026-01-01T00:00:00Z',
});
const outline = (branches: CausationBranch[]): unknown =>
  branches.map(({ envelopeId, causes }) =>
    causes.length === 0 ? envelopeId : [envelopeId, outline(causes)],
  );

it('puts every event below its cause', () => {
  const nodes = [node('a', 0, null), node('b', 1, 'a'), node('c', 1, 'a'), node('d', 2, 'b')];
  expect(outline(buildCausation(nodes))).toEqual([['a', [['b', ['d']], 'c']]]);
});

it('keeps events whose cause is not listed, and ends with causes that form a circle', () => {
  expect(outline(buildCausation([node('b', 1, 'gone'), node('x', 2, 'y'), node('y', 2, 'x')]))).toEqual([
    'b',
    'x',
    'y',
  ]);
});
