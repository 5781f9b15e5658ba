import { expect, it } from '@jest/globals';
import { listManifestParts, parseManifest, parseProblems } from './manifest.ts';

it('finds the JSON pointer of each problem', () => {
  expect(
    parseProblems(['/events/0/name must be dotted', '/tasks/1/workflow: has no steps', 'too large']),
  ).toEqual([
    { pointer: '/events/0/name', text: 'must be dotted' },
    { pointer: '/tasks/1/workflow', text: 'has no steps' },
    { pointer: null, text: 'too large' },
  ]);
});

it.each(['', '{', '[]', 'null', '"x"'])('%j is not a manifest', (text) => {
  expect(parseManifest(text)).toBeUndefined();
});

it('lists what a manifest would install, and what will start its tasks', () => {
  const steps = { steps: [] };
  const manifest = {
    events: [{ name: 'order.created' }, null, 'x', { name: 7 }],
    tables: { name: 'no list' },
    tasks: [
      { key: 'a', name: 'Confirm', workflow: steps },
      { key: 'b', name: 'Report', schedule: { cron: '0 8 * * 1' }, workflow: steps },
    ],
    subscriptions: [
      { key: '1', taskKey: 'a', event: 'order.created' },
      { key: '2', taskKey: 'a', event: 'order.created', filter: { total: 1 } },
      { key: '3', taskKey: 'a', event: 'order.paid', enabled: false },
    ],
  };
  expect(listManifestParts(manifest as never)).toEqual([
    { kind: 'event', name: 'order.created', startedBy: '' },
    { kind: 'task', name: 'Confirm', startedBy: 'order.created' },
    { kind: 'task', name: 'Report', startedBy: '0 8 * * 1' },
  ]);
});
