import { expect, it } from '@jest/globals';
import type { CausationNode } from '@platform/contracts';
import { buildCausation, type CausationGroup } from './causation.ts';

const node = (
  envelopeId: string,
  depth: number,
  causationId: string | null,
  runId: string | null = null,
): CausationNode => ({
  envelopeId,
  event: 'a.b',
  status: 'DISPATCHED',
  statusReason: null,
  depth,
  causationId,
  causedBy: runId === null ? null : { runId, taskId: 't', taskName: 'Task', status: 'SUCCEEDED' },
  emittedAt: '2026-01-01T00:00:00Z',
});
const outline = (groups: CausationGroup[]): unknown =>
  groups.flatMap(({ run, events }) => {
    const below = events.map(({ envelopeId, causes }) =>
      causes.length === 0 ? envelopeId : [envelopeId, outline(causes)],
    );
    return run === null ? below : [{ [run.runId]: below }];
  });

it('puts every event below the run that emitted it, and each run below its event', () => {
  const nodes = [
    node('a', 0, null),
    node('b', 1, 'a', 'r1'),
    node('c', 1, 'a', 'r2'),
    node('d', 1, 'a', 'r1'),
    node('e', 2, 'b', 'r3'),
  ];
  expect(outline(buildCausation(nodes))).toEqual([
    ['a', [{ r1: [['b', [{ r3: ['e'] }]], 'd'] }, { r2: ['c'] }]],
  ]);
});

it('puts an event directly below its cause if the run is no longer kept', () => {
  expect(outline(buildCausation([node('a', 0, null), node('b', 1, 'a')]))).toEqual([['a', ['b']]]);
});

it('begins with the run if that was not started by an event', () => {
  expect(outline(buildCausation([node('a', 0, null, 'r1')]))).toEqual([{ r1: ['a'] }]);
});

it('keeps events whose cause is not listed, and ends with causes that form a circle', () => {
  expect(outline(buildCausation([node('b', 1, 'gone'), node('x', 2, 'y'), node('y', 2, 'x')]))).toEqual([
    'b',
    'x',
    'y',
  ]);
});
