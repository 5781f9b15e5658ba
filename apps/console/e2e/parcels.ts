import type { ApplicationManifest } from '@platform/contracts';

/** An application with an event and a task. */
export const PARCELS: ApplicationManifest = {
  identifier: 'parcels',
  name: 'Parcels',
  version: '1.0.0',
  events: [
    {
      name: 'parcel.sent',
      description: 'A parcel left the warehouse.',
      payloadSchema: {
        type: 'object',
        required: ['number', 'weight'],
        properties: {
          number: { type: 'string', examples: ['P-1'] },
          weight: { type: 'integer', minimum: 1, default: 40 },
          express: { type: 'boolean' },
        },
      },
    },
  ],
  tasks: [
    {
      key: 'count',
      name: 'Count parcels',
      type: 'EVENT',
      workflow: { steps: [{ id: 'count', kind: 'code', source: 'return 1;' }] },
    },
  ],
};
