import type { ApplicationManifest } from '@platform/contracts';
import type { TFunction } from 'i18next';
import { PAID, TASK } from './sample-shop.ts';

const LOW = 'stock.low';

const text = { type: 'string', minLength: 1 };
const amount = { type: 'number', minimum: 0 };

/** What the sample shop emits, in this order: nothing subscribes to the first, and the filter lets only the last one start the task. */
export const SAMPLE_EVENTS: readonly { event: string; payload: Record<string, unknown> }[] = [
  {
    event: 'order.created',
    payload: { orderId: 'S-1001', customer: 'Ada', total: 24.5, items: [{ sku: 'TEA-GREEN', quantity: 1 }] },
  },
  {
    event: PAID,
    payload: { orderId: 'S-1001', amount: 24.5, sku: 'TEA-GREEN', quantity: 1, shipping: 'standard' },
  },
  {
    event: PAID,
    payload: { orderId: 'S-1002', amount: 49, sku: 'TEA-GREEN', quantity: 2, shipping: 'express' },
  },
];

/** Describes a shop that packs express orders: three events, a task, and its subscription, in the language of the user. */
export function createSampleManifest(identifier: string, t: TFunction): ApplicationManifest {
  return {
    identifier,
    name: t('samples.name'),
    version: '1.0.0',
    events: [
      {
        name: 'order.created',
        description: t('samples.orderCreated'),
        payloadSchema: closed({
          orderId: text,
          customer: text,
          total: amount,
          items: { type: 'array', items: closed({ sku: text, quantity: { type: 'integer', minimum: 1 } }) },
        }),
      },
      {
        name: PAID,
        description: t('samples.orderPaid'),
        payloadSchema: closed({
          orderId: text,
          amount,
          sku: text,
          quantity: { type: 'integer', minimum: 1 },
          shipping: { enum: ['standard', 'express'] },
        }),
      },
      {
        name: LOW,
        description: t('samples.stockLow'),
        payloadSchema: closed({ sku: text, left: { type: 'integer' } }),
      },
    ],
    tasks: [
      {
        key: TASK,
        name: t('samples.task'),
        workflow: {
          steps: [
            {
              id: 'pack',
              kind: 'code',
              source: [
                'const { orderId, sku, quantity } = context.execution.inputs.trigger.payload;',
                `// ${t('samples.stockComment')}`,
                'const left = 3 - quantity;',
                `console.log(${JSON.stringify(t('samples.log'))}, orderId);`,
                'return { parcel: `P-${orderId}`, sku, left };',
              ].join('\n'),
            },
            {
              id: 'report',
              kind: 'emit',
              when: 'steps.pack.output.left < 2',
              applicationIdentifier: identifier,
              event: LOW,
              payload: { sku: '{{steps.pack.output.sku}}', left: '{{steps.pack.output.left}}' },
            },
          ],
        },
      },
    ],
    subscriptions: [{ key: TASK, event: PAID, taskKey: TASK, filter: { shipping: 'express' } }],
  };
}

/** An object of exactly these fields. */
function closed(properties: Record<string, object>) {
  return { type: 'object', required: Object.keys(properties), properties, additionalProperties: false };
}
