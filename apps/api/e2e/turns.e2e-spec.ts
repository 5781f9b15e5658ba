import { randomUUID } from 'node:crypto';
import { framesIn, readStream, textOf } from './harness/frames.ts';
import { TestApp } from './harness/app.ts';

describe('smoke', () => {
  let app: TestApp;
  beforeAll(async () => {
    app = await TestApp.start();
  });
  afterAll(() => app.close());

  it('streams', async () => {
    const agent = await app.client().agents.create({ name: 'A', model: 'platform/offline', systemPrompt: 'Be brief.' });
    const response = await app.fetch('POST', `/api/agents/${agent.id}/chat`, {
      body: { contents: [{ type: 'text', text: 'Hi' }], turnId: randomUUID() },
      headers: { 'X-Platform-Stream-Protocol': 'langgraph-v3' },
    });
    const { frames } = await readStream(response);
    expect(textOf(frames)).toContain('Hi');
    expect(framesIn('')).toEqual([]);
  });
});
