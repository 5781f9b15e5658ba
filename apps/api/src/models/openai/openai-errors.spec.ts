import { refused } from './openai-errors.ts';
import { Secrets } from '../port/secrets.ts';

/** What is kept of the words of a server. */
const detailOf = (message: string, key: string | null = null) =>
  refused(400, {}, JSON.stringify({ error: { message } }), Secrets.of(key)).error.detail;

describe('the words of a server', () => {
  it.each([
    ['Cannot reach https://vllm.corp.internal/v1?x=1 now', 'Cannot reach … now'],
    ['connect ECONNREFUSED 10.0.0.5:8000', 'connect ECONNREFUSED …'],
    ['Host vllm.corp.internal:8000, localhost:11434', 'Host …, …'],
    ['No route to 192.168.1.20 or [fd00::1]:443', 'No route to … or …'],
  ])('have no addresses: %s', (message, expected) => {
    expect(detailOf(message)).toBe(expected);
  });

  it.each(['max_tokens: 4096 is above 2048', 'Version 1.2.3 at 12:30', 'Field messages[0].content: missing'])(
    'stay as they are otherwise: %s',
    (message) => {
      expect(detailOf(message)).toBe(message);
    },
  );

  it('are one short line without a key, whatever the server sends', () => {
    expect(detailOf('Key\nsk-canary-1234 \u0000 is\twrong\ud800', 'sk-canary-1234')).toBe(
      'Key ************** is wrong\ufffd',
    );
    for (const hostile of ['a.', 'a-', '1.1.', '[:', 'a:', 'a://'])
      expect(detailOf(hostile.repeat(1e6))?.length).toBeLessThanOrEqual(1_000);
    expect(detailOf('')).toBeUndefined();
  });
});
