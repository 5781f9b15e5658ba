import { STREAM_PROTOCOL, STREAM_PROTOCOL_HEADER, type ChatRequest } from '@platform/contracts';

export interface CodeRequest {
  baseUrl: string;
  agentId: string;
  request: ChatRequest;
}

/** Longer data URIs are truncated, because the code is meant to be pasted into a terminal. */
const MAX_DATA_URI = 2_000;

/** Returns the chat request as a curl command. The API key comes from the environment. */
export function formatCurl({ baseUrl, agentId, request }: CodeRequest): string {
  return [
    `curl -N ${quoteForShell(`${baseUrl}/api/agents/${agentId}/chat`)}`,
    `  -H "Authorization: Bearer $PLATFORM_API_KEY"`,
    `  -H 'Content-Type: application/json'`,
    `  -H 'Accept: text/event-stream'`,
    `  -H '${STREAM_PROTOCOL_HEADER}: ${STREAM_PROTOCOL}'`,
    `  -d ${quoteForShell(json(request))}`,
  ].join(' \\\n');
}

/** Returns the chat request as code for the client library on a server. */
export function formatTypescript({ baseUrl, agentId, request }: CodeRequest): string {
  return `import { PlatformClient } from '@platform/client';

const client = new PlatformClient({
  baseUrl: ${JSON.stringify(baseUrl)},
  apiKey: process.env.PLATFORM_API_KEY,
});

const stream = client.agents.chatStream(${JSON.stringify(agentId)}, ${json(request)});
for await (const event of stream) {
  if (event.event === 'content.delta') process.stdout.write(event.delta);
  if (event.event === 'error.occurred') console.error(event.code, event.message);
}
`;
}

function json(request: ChatRequest): string {
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

/** Quotes a value for a POSIX shell. */
function quoteForShell(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
