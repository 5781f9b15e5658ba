import { mkdir, open, readFile, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';

/** What the first start made, for whoever started it. */
export interface FirstStart {
  spaceId: string;
  userId: string;
  email: string;
  /** Null: it came from the environment and is kept there alone. */
  password: string | null;
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

/** For the owner's eyes; it is on the disk as a whole, or not at all, when this resolves. */
export async function keepFirstStart(file: string, made: FirstStart): Promise<void> {
  await mkdir(dirname(file), { recursive: true });
  const draft = `${file}.draft`;
  await rm(draft, { force: true });
  const handle = await open(draft, 'w', 0o600);
  try {
    await handle.writeFile(`${JSON.stringify(made, null, 2)}\n`);
    await handle.sync();
  } finally {
    await handle.close();
  }
  await rename(draft, file);
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
  if (made)
    lines.push(`  Sign in   ${made.email}  ${made.password ?? '(the password of PLATFORM_ADMIN_PASSWORD)'}`);
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
