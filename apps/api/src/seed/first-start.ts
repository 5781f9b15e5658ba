import { mkdir, open, readFile, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';

/** What the first start created, for the person who started it. */
export interface FirstStart {
  spaceId: string;
  userId: string;
  email: string;
  /** Null if it came from the environment, which is then the only place that has it. */
  password: string | null;
  apiKey: string | null;
  agentId: string | null;
  /** By the identifier of each sample application; null until they are installed. Files of earlier versions lack it. */
  systemKeys?: Record<string, string> | null;
}

export async function readFirstStart(file: string): Promise<FirstStart | null> {
  try {
    return JSON.parse(await readFile(file, 'utf8')) as FirstStart;
  } catch {
    return null;
  }
}

/** Stores the file, readable only by its owner, completely or not at all. */
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

/** The text that the terminal shows when the service is ready. `model` describes the model of the first agent. */
export function banner(publicUrl: string, made: FirstStart | null, model: string | null): string {
  const lines = [
    '',
    'The agent platform is ready.',
    '',
    `  Console   ${publicUrl}`,
    `  API docs  ${publicUrl}/api/docs`,
  ];
  if (made)
    lines.push(`  Sign in   ${made.email}  ${made.password ?? '(the password of PLATFORM_ADMIN_PASSWORD)'}`);
  if (model !== null) lines.push(`  Model     ${model}`);
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
  const systemKey = made?.systemKeys?.['order-desk'];
  if (systemKey !== undefined) {
    lines.push(
      '',
      `  curl ${publicUrl}/api/events/emit \\`,
      `    -H 'Authorization: Bearer ${systemKey}' -H 'Content-Type: application/json' \\`,
      `    -d '{"appIdentifier":"order-desk","event":"order.created","idempotencyKey":"order-2001",` +
        `"payload":{"number":"2001","customer":"You","total":20}}'`,
    );
  }
  return [...lines, ''].join('\n');
}
