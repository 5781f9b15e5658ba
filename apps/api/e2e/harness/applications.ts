import type { ApplicationManifest, InstalledApplication } from '@platform/contracts';
import type { TestApp, TestUser } from './app.ts';

/** The manifest of a small shop; members in `change` replace its own. */
export function shopManifest(change: Partial<ApplicationManifest> = {}): ApplicationManifest {
  return {
    identifier: 'shop',
    name: 'Shop',
    version: '1.0.0',
    events: [
      {
        name: 'order.created',
        description: 'A customer has ordered.',
        payloadSchema: {
          type: 'object',
          required: ['total'],
          properties: { total: { type: 'number', minimum: 0 }, note: { type: ['string', 'null'] } },
        },
      },
      { name: 'order.shipped', description: 'An order left.', payloadSchema: { type: 'object' } },
    ],
    tables: [
      {
        name: 'orders',
        columns: [
          { name: 'total', type: 'number', required: true },
          { name: 'note', type: 'string' },
        ],
        emits: { onInsert: 'order.created' },
      },
    ],
    tasks: [
      {
        key: 'greet',
        name: 'Greet',
        workflow: {
          steps: [{ id: 'greet', kind: 'code', source: 'return context.execution.inputs.trigger;' }],
        },
      },
    ],
    subscriptions: [{ key: 'greet', event: 'order.created', taskKey: 'greet' }],
    ...change,
  };
}

/** An application as a caller: its system key in place of an API key. */
export function asApplication(user: TestUser, systemKey: string): TestUser {
  return { ...user, apiKey: systemKey };
}

/** Installs an application and returns what calls with its key. */
export async function installApplication(
  app: TestApp,
  manifest: ApplicationManifest = shopManifest(),
  admin: TestUser = app.admin,
): Promise<TestUser> {
  const answer = await app.request<InstalledApplication>('POST', '/api/applications', {
    as: admin,
    body: manifest,
  });
  if (answer.status !== 201) throw new Error(`Not installed: ${answer.status} ${answer.text}`);
  return asApplication(admin, answer.body.systemKey);
}
