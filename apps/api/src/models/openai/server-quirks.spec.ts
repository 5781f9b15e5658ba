import { quirkIn, ServerQuirks } from './server-quirks.ts';

const HOUR = 3_600_000;

describe('ServerQuirks', () => {
  it('remembers what a successful request avoided for an hour', () => {
    const quirks = new ServerQuirks();
    expect([...quirks.known(0)]).toEqual([]);
    quirks.remember(['no-stream-options'], 1_000);
    expect([...quirks.known(1_000 + HOUR - 1)]).toEqual(['no-stream-options']);
    // Requests that avoid it succeed all the time: they must not prolong it.
    quirks.remember(['no-stream-options'], HOUR);
    expect([...quirks.known(1_000 + HOUR)]).toEqual([]);
    quirks.remember(['no-stream-options', 'max-completion-tokens'], 2 * HOUR);
    expect(quirks.known(2 * HOUR).size).toBe(2);
  });
});

describe('quirkIn', () => {
  it.each([
    [{ stream_options: {} }, 'Unrecognized request argument: stream_options', 'no-stream-options'],
    [{ stream_options: {} }, 'include_usage is unknown', 'no-stream-options'],
    [{}, 'stream_options', null],
    [{ max_tokens: 5 }, "Use 'max_completion_tokens' instead", 'max-completion-tokens'],
    [{ max_completion_tokens: 5 }, "Use 'max_completion_tokens' instead", null],
    [{ stream_options: {}, max_tokens: 5 }, 'The prompt is too long', null],
  ])('finds in %j and "%s" %s', (sent, refusal, quirk) => expect(quirkIn(sent, refusal)).toBe(quirk));
});
