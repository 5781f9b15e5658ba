import { MessageAssembler } from '@langchain/langgraph-sdk/client';
import type { MessagesEvent } from '@langchain/protocol';
import { startOpenAiServer } from './fixtures/openai-server.ts';
import { TestApp } from './harness/app.ts';
import { readStream } from './harness/frames.ts';
import { verifies } from './verifies.ts';

describe('LangGraph v3 peers', () => {
  let app: TestApp;

  beforeAll(async () => {
    app = await TestApp.start();
  });

  afterAll(() => app.close());

  verifies(
    'stream.langgraph',
    'MessageAssembler assembles reasoning, text, tool calls and usage',
    async () => {
      const openai = await startOpenAiServer();
      openai.nextBehavior(
        {
          reasoning: ['Let me ', 'think'],
          text: ['The ', 'answer'],
          toolCalls: [{ id: 'call_1', name: 'weather__now', arguments: '{"city":"Ulm"}' }],
          usage: { prompt_tokens: 7, completion_tokens: 5, total_tokens: 12 },
        },
        { text: ['Done'] },
      );
      await app.client().models.create({ name: 'm', baseUrl: openai.url, apiKey: 'k' });
      const agent = await app.client().agents.create({ name: 'A', model: 'm', systemPrompt: 'x' });
      const response = await app.fetch('POST', `/api/agents/${agent.id}/chat`, {
        body: { contents: [{ type: 'text', text: 'Hi' }] },
        headers: { 'X-Platform-Stream-Protocol': 'langgraph-v3' },
      });
      const { frames } = await readStream(response);
      await openai.close();

      const assembler = new MessageAssembler();
      const finished = frames
        .filter(({ method }) => method === 'messages')
        .map((frame) => assembler.consume(frame as unknown as MessagesEvent))
        .filter(({ kind }) => kind === 'message-finish')
        .map(({ message }) => message);
      expect(finished).toHaveLength(2);
      expect(finished[0]?.blocks).toMatchObject([
        { type: 'reasoning', reasoning: 'Let me think' },
        { type: 'text', text: 'The answer' },
        { type: 'tool_call', id: 'call_1', name: 'weather__now', args: { city: 'Ulm' } },
      ]);
      expect(finished[0]?.usage).toMatchObject({ input_tokens: 7, output_tokens: 5, total_tokens: 12 });
      expect(finished[1]?.blocks).toMatchObject([{ type: 'text', text: 'Done' }]);
    },
  );
});
