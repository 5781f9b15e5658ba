// The baseline: the `openai` client without the service, reading the same responses.
import OpenAI from 'openai';
import { serveLoad } from './load.mjs';

const client = new OpenAI({ baseURL: process.argv[2], apiKey: 'none', maxRetries: 0 });

serveLoad(async (order, onText) => {
  const chunks = await client.chat.completions.create({
    model: 'bench',
    messages: [{ role: 'user', content: JSON.stringify(order) }],
    stream: true,
    stream_options: { include_usage: true },
  });
  for await (const chunk of chunks) {
    const text = chunk.choices[0]?.delta.content;
    if (text) onText(text);
  }
});
