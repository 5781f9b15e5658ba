import { countTokens, estimatePrompt } from './tokens.ts';

describe('countTokens', () => {
  it.each([
    ['', 0],
    ['hello world', 2],
    ['The quick brown fox', 4],
    // Special tokens are text here; a user may write them.
    ['<|endoftext|>', 7],
    ['\u0000\ud800', 2],
  ])('counts %j as %i', async (text, tokens) => {
    expect(await countTokens(text)).toBe(tokens);
  });

  it('counts a long text in slices and is hardly off', async () => {
    const sentence = ' The quick brown fox jumps over the lazy dog.';
    const one = await countTokens(sentence);
    const many = await countTokens(sentence.repeat(4_000));
    expect(Math.abs(many - one * 4_000)).toBeLessThan(many * 0.002);
  });

  it('takes a quarter of the length beyond 200,000 characters', async () => {
    expect(await countTokens('x'.repeat(200_001))).toBe(50_001);
  });

  it('lets others run during a word of 200,000 characters', async () => {
    let turns = 0;
    const turn = () => {
      turns++;
      next = setImmediate(turn);
    };
    let next = setImmediate(turn);
    await countTokens('x'.repeat(200_000));
    clearImmediate(next);
    expect(turns).toBeGreaterThanOrEqual(6);
  });
});

describe('estimatePrompt', () => {
  it('adds up messages, media, calls and tools', async () => {
    const data = 'A'.repeat(100_000);
    const media = await estimatePrompt([
      {
        role: 'user',
        parts: [
          { type: 'image', url: `data:image/png;base64,${data}`, detail: 'auto' },
          { type: 'audio', data, format: 'wav' },
          { type: 'file', filename: 'a.pdf', mime: 'application/pdf', data },
        ],
      },
    ]);
    expect(media).toBe(3 + 4 + 3_000);

    const words = await estimatePrompt(
      [
        { role: 'system', text: 'hello world' },
        { role: 'user', parts: [{ type: 'text', text: 'hello world' }] },
        { role: 'assistant', text: 'hello', toolCalls: [{ id: 'c1', name: 'hello', arguments: ' world' }] },
        { role: 'tool', callId: 'c1', text: 'hello world' },
      ],
      [{ name: 'hello', description: ' world', parameters: {} }],
    );
    expect(words).toBe(3 + (4 + 2) + (4 + 2) + (4 + 1 + 8 + 2) + (4 + 2) + (8 + 3));
  });
});
