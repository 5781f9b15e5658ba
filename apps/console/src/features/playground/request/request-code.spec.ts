import { describe, expect, it } from '@jest/globals';
import { formatCurl, formatTypescript } from './request-code.ts';

const baseUrl = 'https://platform.example.com';

describe('formatCurl', () => {
  it('contains the protocol header and the key from the environment', () => {
    const request = { contents: [{ type: 'text' as const, text: "What's up?" }], session_id: 's1' };
    const code = formatCurl({ baseUrl, agentId: 'a1', call: { kind: 'chat', request } });
    expect(code).toContain(`curl -N '${baseUrl}/api/agents/a1/chat'`);
    expect(code).toContain(`-H "Authorization: Bearer $PLATFORM_API_KEY"`);
    expect(code).toContain(`-H 'X-Platform-Stream-Protocol: langgraph-v3'`);
  });

  it('quotes the body for a shell, whatever the text contains', () => {
    const request = { contents: [{ type: 'text' as const, text: `it's $HOME "now"` }] };
    const body =
      formatCurl({ baseUrl, agentId: 'a1', call: { kind: 'chat', request } }).split(' -d ')[1] ?? '';
    const unquoted = body.slice(1, -1).replaceAll(`'\\''`, "'");
    expect(JSON.parse(unquoted)).toEqual(request);
  });

  it('truncates long data URIs', () => {
    const url = `data:image/png;base64,${'A'.repeat(5_000)}`;
    const code = formatCurl({
      baseUrl,
      agentId: 'a1',
      call: { kind: 'chat', request: { contents: [{ type: 'image_url', image_url: { url } }] } },
    });
    expect(code).toContain('"url": "data:image/png;base64,…"');
  });
});

describe('formatTypescript', () => {
  it('uses the client library', () => {
    const code = formatTypescript({
      baseUrl,
      agentId: 'a1',
      call: { kind: 'chat', request: { contents: [{ type: 'text', text: 'Hi' }] } },
    });
    expect(code).toContain(`import { PlatformClient } from '@platform/client';`);
    expect(code).toContain('client.agents.chatStream("a1", {');
    expect(code).toContain('process.env.PLATFORM_API_KEY');
  });

  it('executes and starts jobs', () => {
    const inputs = { query: 'Hi', customer: 'Ada' };
    const execution = { kind: 'execute' as const, request: { inputs } };
    expect(formatTypescript({ baseUrl, agentId: 'a1', call: execution })).toContain(
      'await client.agents.execute("a1", {',
    );
    const job = { kind: 'job' as const, request: { agentId: 'a1', inputs } };
    const code = formatTypescript({ baseUrl, agentId: 'a1', call: job });
    expect(code).toContain('await client.agents.invokeAsync("a1", {');
    expect(code).not.toContain('"agentId"');
    const curl = formatCurl({ baseUrl, agentId: 'a1', call: job });
    expect(curl).toContain(`curl '${baseUrl}/api/agent-jobs'`);
    expect(curl).not.toContain('text/event-stream');
  });
});
