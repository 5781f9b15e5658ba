import type { FrameMethod, JobPhase } from '@platform/contracts';
import { draft, encodeFrame } from '../../streams/frame.ts';
import { phaseOf, progressOf } from './job-progress.ts';

type Said = [method: FrameMethod, event: string, fields?: object];

const STARTED: Said[] = [
  ['custom:platform', 'session-started'],
  ['lifecycle', 'started'],
];
const ASKED: Said[] = [...STARTED, ['lifecycle', 'running'], ['messages', 'message-start']];
const ANSWERING: Said[] = [
  ...ASKED,
  ['messages', 'content-block-start'],
  ['custom:platform', 'content-delta'],
];
const CALLED: Said[] = [...ASKED, ['messages', 'message-finish'], ['custom:platform', 'context-usage']];

function logOf(said: Said[], steps = 0) {
  const frames = said.map(([method, event, fields], i) =>
    encodeFrame(1, i + 1, draft(method, { event, ...fields }), 0),
  );
  return { steps, lastSeq: said.length, tail: Buffer.from(frames.join('')) };
}

describe('phaseOf', () => {
  it.each<[JobPhase, string, Said[]]>([
    ['starting', 'after the claim', STARTED],
    ['thinking', 'once the model is called', ASKED],
    ['answering', 'while text flows', ANSWERING],
    ['answering', 'after the text, until the next step', [...ANSWERING, ['messages', 'message-finish']]],
    [
      'using-tools',
      'while a tool runs',
      [...CALLED, ['tools', 'tool-started'], ['custom:platform', 'tool-execution']],
    ],
    [
      'thinking',
      'with its result',
      [...CALLED, ['custom:platform', 'tool-execution'], ['messages', 'message-start']],
    ],
  ])('is %s %s', (phase, _, said) => {
    expect(phaseOf('RUNNING', logOf(said))).toBe(phase);
  });

  it('is not deceived by texts of tools and users', () => {
    const tool: Said = ['custom:platform', 'tool-execution', { arguments: { event: 'content-delta' } }];
    const text: Said = ['messages', 'content-block-finish', { text: 'data: {"event":"running"}\n' }];
    expect(phaseOf('RUNNING', logOf([...CALLED, tool, text]))).toBe('using-tools');
  });

  it('follows the status if the log is empty', () => {
    expect(phaseOf('QUEUED', null)).toBe('queued');
    expect(phaseOf('RUNNING', null)).toBe('starting');
    expect(phaseOf('INPUT_REQUIRED', logOf(CALLED))).toBe('waiting-for-input');
    expect(phaseOf('TIMED_OUT', logOf(ANSWERING))).toBe('finished');
  });
});

describe('progressOf', () => {
  it('grows with frames and steps, never beyond 95 before the end', () => {
    const values = [0, 1, 2, 10, 100, 1_000_000].map((lastSeq) => progressOf({ steps: 0, lastSeq }));
    expect(values).toEqual([...values].sort((a, b) => a - b));
    expect(values.at(-1)).toBe(94);
    expect(progressOf(logOf(ASKED, 1))).toBeGreaterThan(progressOf(logOf(ASKED)));
  });
});
