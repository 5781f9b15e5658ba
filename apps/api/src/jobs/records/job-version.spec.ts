import type { Job } from '@platform/contracts';
import { matchesVersion, computeVersion } from './job-version.ts';

const JOB: Job = {
  id: 'j-1',
  type: 'AGENT_INVOKE',
  agentId: 'a-1',
  status: 'RUNNING',
  phase: 'thinking',
  progress: 20,
  sessionId: 's-1',
  turnId: 't-1',
  createdAt: '2026-01-01T00:00:00.000Z',
  startedAt: null,
  finishedAt: null,
};

describe('versionOf', () => {
  it('differs for every visible change', () => {
    const result = { answer: 'Yes', agent_id: 'a-1', execution_time: 1, token_usage: {} } as Job['result'];
    const changes: Partial<Job>[] = [
      {},
      { status: 'FAILED' },
      { phase: 'answering' },
      { progress: 21 },
      { error: { code: 'X', message: 'a' } },
      { error: { code: 'X', message: 'b' } },
      { result },
      { result: { ...result, answer: 'No' } as Job['result'] },
      { startedAt: '2026-01-01T00:00:01.000Z' },
      { finishedAt: '2026-01-01T00:00:01.000Z' },
    ];
    const versions = changes.map((change) => computeVersion({ ...JOB, ...change }));
    expect(new Set(versions).size).toBe(changes.length);
    expect(computeVersion({ ...JOB })).toBe(versions[0]);
  });
});

describe('names', () => {
  it.each([
    ['"a"', true],
    ['W/"a"', true],
    ['"b", "a"', true],
    ['*', true],
    ['"b"', false],
    ['a', false],
    ['', false],
  ])('%s: %s', (header, named) => {
    expect(matchesVersion(header, '"a"')).toBe(named);
  });
});
