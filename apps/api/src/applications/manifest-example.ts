import type { ApplicationManifest } from '@platform/contracts';

/** What the API document shows, and what its test installs. */
export const MANIFEST_EXAMPLE: ApplicationManifest = {
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
        properties: { total: { type: 'number', minimum: 0 } },
      },
    },
  ],
  tables: [
    {
      name: 'orders',
      columns: [{ name: 'total', type: 'number', required: true }],
      emits: { onInsert: 'order.created' },
    },
  ],
  tasks: [
    {
      key: 'greet',
      name: 'Greet the customer',
      workflow: {
        steps: [
          {
            id: 'greet',
            kind: 'code',
            source: 'return `Thank you for ${context.execution.inputs.trigger.payload.total}`;',
          },
        ],
      },
    },
  ],
  subscriptions: [{ key: 'greet', event: 'order.created', taskKey: 'greet', filter: null }],
};
