import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';

/** What the first start made, for whoever started it. */
export interface FirstStart {
  spaceId: string;
  userId: string;
  email: string;
  password: string;
  apiKey: string | null;
  agentId: string | null;
}

export async function readFirstStart(file: string): Promise<FirstStart | null> {
  try {
    return JSON.parse(await readFile(file, 'utf8')) as FirstStart;
  } catch {
    return null;
  }
}

export async function keepFirstStart(file: string, made: FirstStart): Promise<void> {
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, `${JSON.stringify(made, null, 2)}\n`, { mode: 0o600 });
}

export async function dropFirstStart(file: string): Promise<void> {
  await rm(file, { force: true });
}

/** What the terminal shows once the service is ready. */
export function banner(publicUrl: string, made: FirstStart | null): string {
  const lines = [
    '',
    'The agent platform is ready.',
    '',
    `  Console   ${publicUrl}`,
    `  API docs  ${publicUrl}/api/docs`,
  ];
  if (made) lines.push(`  Sign in   ${made.email}  ${made.password}`);
  if (made?.apiKey && made.agentId) {
    lines.push(
      `  API key   ${made.apiKey}`,
      '',
      '  Try it:',
      '',
      `  curl -N ${publicUrl}/api/agents/${made.agentId}/chat \\`,
      `    -H 'Authorization: Bearer ${made.apiKey}' -H 'Content-Type: application/json' \\`,
      `    -H 'Accept: text/event-stream' -H 'X-Platform-Stream-Protocol: langgraph-v3' \\`,
      `    -d '{"contents":[{"type":"text","text":"Hello! What can you do?"}]}'`,
    );
  }
  return [...lines, ''].join('\n');
}
