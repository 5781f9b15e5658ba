import type { Step } from '@platform/contracts';
import { changeDefinition, describeChange, newDefinition } from './task-definition.ts';

const code = (id: string, source = 'return 1'): Step => ({ id, kind: 'code', source });
const UNCHANGED = { enabled: { before: true, after: true } };

describe('the sentence about a change of a task', () => {
  const before = newDefinition({
    name: 'Ship',
    type: 'SCHEDULE',
    schedule: { cron: '0 8 * * *', timezone: 'Europe/Berlin' },
    workflow: { steps: [code('a'), code('b'), code('c')] },
  });

  const sentence = (change: Parameters<typeof changeDefinition>[1], more: object = UNCHANGED) =>
    describeChange(before, changeDefinition(before, change), { ...UNCHANGED, ...more });

  it('names the steps, but not what is in them', () => {
    expect(sentence({ workflow: { steps: [code('a', 'return 2'), code('c'), code('b', 'secret')] } })).toBe(
      'Changed steps a, b; reordered the steps.',
    );
    expect(sentence({ workflow: { steps: [code('a'), code('b')] } })).toBe('Removed step c.');
    const steps = Array.from({ length: 15 }, (_, i) => code(`s${i}`));
    expect(sentence({ workflow: { steps } })).toBe(
      'Added steps s0, s1, s2, s3, s4, s5, s6, s7, s8, s9, and 5 more; removed steps a, b, c.',
    );
  });

  it('says from what to what the values go', () => {
    expect(sentence({ type: 'EVENT', retry: { onInterrupted: true }, timeoutMs: 5_000 })).toBe(
      'Type from SCHEDULE to EVENT; schedule from 0 8 * * * (Europe/Berlin) to none; ' +
        'timeoutMs from 60000 to 5000; retry.onInterrupted from false to true.',
    );
    expect(sentence({}, { enabled: { before: true, after: false }, runs: 'CANCEL' })).toBe(
      'Disabled; canceled its waiting and running runs.',
    );
    expect(sentence({}, { enabled: { before: false, after: true } })).toBe('Enabled.');
    expect(sentence({ name: 'Ship' })).toBe('Nothing changed.');
  });
});
