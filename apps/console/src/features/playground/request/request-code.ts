import { STREAM_PROTOCOL, STREAM_PROTOCOL_HEADER } from '@platform/contracts';
import { formatCurlPost } from '../../../ui/code/curl.ts';
import type { Call } from './call.ts';

export interface CodeRequest {
  baseUrl: string;
  agentId: string;
  call: Call;
}

/** Longer data URIs are truncated, because the code is meant to be pasted into a terminal. */
const MAX_DATA_URI = 2_000;

/** Returns the request as a curl command. The API key comes from the environment. */
export function formatCurl({ baseUrl, agentId, call }: CodeRequest): string {
  const path = { chat: `agents/${agentId}/chat`, execute: `agents/${agentId}/execute`, job: 'agent-jobs' };
  const streamed = {
    options: ['-N'],
    headers: ['Accept: text/event-stream', `${STREAM_PROTOCOL_HEADER}: ${STREAM_PROTOCOL}`],
  };
  return formatCurlPost({
    url: `${baseUrl}/api/${path[call.kind]}`,
    body: json(call.request),
    ...(call.kind === 'chat' && streamed),
  });
}

/** Returns the request as code for the client library on a server. */
export function formatTypescript({ baseUrl, agentId, call }: CodeRequest): string {
  return `import { PlatformClient } from '@platform/client';

const client = new PlatformClient({
  baseUrl: ${JSON.stringify(baseUrl)},
  apiKey: process.env.PLATFORM_API_KEY,
});

${formatUse(JSON.stringify(agentId), call)}`;
}

function formatUse(agentId: string, call: Call): string {
  switch (call.kind) {
    case 'chat':
      return `const stream = client.agents.chatStream(${agentId}, ${json(call.request)});
for await (const event of stream) {
  if (event.event === 'content.delta') process.stdout.write(event.delta);
  if (event.event === 'error.occurred') console.error(event.code, event.message);
}
`;
    case 'execute':
      return `const { answer, token_usage } = await client.agents.execute(${agentId}, ${json(call.request)});
console.log(answer, token_usage);
`;
    case 'job': {
      const { agentId: _, ...request } = call.request;
      return `const job = await client.agents.invokeAsync(${agentId}, ${json(request)}, {
  onProgress: ({ phase, progress }) => console.log(phase, progress),
});
console.log(job.result);
`;
    }
  }
}

function json(request: object): string {
  return JSON.stringify(
    request,
    (_, value: unknown) => (typeof value === 'string' ? shortenDataUris(value) : value),
    2,
  );
}

function shortenDataUris(value: string): string {
  if (!value.startsWith('data:') || value.length <= MAX_DATA_URI) return value;
  return `${value.slice(0, value.indexOf(',') + 1)}…`;
}
