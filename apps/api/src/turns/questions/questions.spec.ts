import { draft } from '../../streams/frame.ts';
import { toNeedQuestion } from './call-needs.ts';
import type { Question } from './question.ts';
import { parseQuestion, toInteraction } from './questions.ts';

const ID = '0190c2f0-0000-7000-8000-000000000000';

/** The question as the frame of a stream has it. */
function asked(question: Question): unknown {
  const times = { createdAt: new Date(), expiresAt: new Date() };
  const payload = toInteraction({ id: ID, question, ...times }, { turnId: ID, sessionId: '😀'.repeat(64) });
  return JSON.parse(draft('input', { event: 'requested', interrupt_id: ID, payload }).data) as unknown;
}

describe('what people are asked', () => {
  it('is never cut in a frame: a longer question is refused', () => {
    const read = (length: number) => {
      const options = Array.from({ length: 50 }, (_, i) => ({
        label: `Option ${i}`,
        description: '字'.repeat(length),
      }));
      return parseQuestion({ question: 'Which?', options });
    };
    const refusal = 'question and options must have at most 24576 bytes together';
    const lengths = Array.from({ length: 40 }, (_, i) => 10 * i);
    const results = lengths.map(read);
    expect(results.at(-1)).toBe(refusal);
    for (const result of results)
      if (typeof result === 'string') expect(result).toBe(refusal);
      else expect(asked(result)).not.toHaveProperty('truncated');
    expect(results.filter((result) => typeof result !== 'string').length).toBeGreaterThan(10);
  });

  it('has all arguments of a call that needs an approval', () => {
    for (let depth = 1; depth < 12; depth += 1)
      for (let quotes = 1; quotes < 24; quotes += 1) {
        const nested = (count: number) => {
          let list: unknown[] = Array.from({ length: count }, () => '"'.repeat(quotes));
          for (let i = 0; i < depth; i += 1) list = [list];
          return { list };
        };
        const count = Math.floor((8_192 - 2 * depth - 11) / (2 * quotes + 3));
        const call = {
          toolId: ID,
          tool: 't'.repeat(120),
          method: 'm'.repeat(64),
          arguments: nested(count),
          hash: 'h'.repeat(64),
          rule: 'method' as const,
          why: 'The method is set to ask before each call.',
          once: false,
          approvers: { userIds: Array.from({ length: 50 }, () => ID) },
          methodId: ID,
          methodVersion: ID,
        };
        const question = toNeedQuestion({ kind: 'APPROVAL', message: 'May it be called?', call });
        expect(asked(question)).not.toHaveProperty('truncated');
      }
  });
});
