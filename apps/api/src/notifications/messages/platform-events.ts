import type { JsonSchema, NotificationEvent, NotificationSeverity } from '@platform/contracts';

export interface PlatformEvent {
  severity: NotificationSeverity;
  description: string;
  payloadSchema: Exclude<JsonSchema, boolean>;
  /** What people read, as one sentence. */
  describe: (payload: Record<string, unknown>) => string;
  /** The page of the console that shows it, from the public address on. */
  path: (payload: Record<string, unknown>) => string;
}

const text = { type: 'string' };
const integer = { type: 'integer' };

function object(properties: Record<string, object>, optional: string[] = []): Exclude<JsonSchema, boolean> {
  const required = Object.keys(properties).filter((name) => !optional.includes(name));
  return { type: 'object', properties, required };
}

const read = (payload: Record<string, unknown>, name: string): string => {
  const value = payload[name];
  return typeof value === 'string' || typeof value === 'number' ? String(value) : '';
};

const taskPath = (payload: Record<string, unknown>) => `/tasks/${read(payload, 'taskId')}`;

/** What the platform tells, with what it says. */
export const PLATFORM_EVENTS: Record<NotificationEvent, PlatformEvent> = {
  'run.failed': {
    severity: 'error',
    description: 'A run of a task ended as FAILED or INTERRUPTED, after its automatic attempts.',
    payloadSchema: object(
      {
        runId: text,
        taskId: text,
        taskName: text,
        status: text,
        origin: text,
        attempt: integer,
        errorCode: text,
        errorMessage: text,
      },
      ['errorCode', 'errorMessage'],
    ),
    describe: (payload) => {
      const why = read(payload, 'errorMessage');
      const how = payload['status'] === 'INTERRUPTED' ? 'was interrupted' : 'failed';
      return `A run of the task “${read(payload, 'taskName')}” ${how}${why === '' ? '.' : `: ${why}`}`;
    },
    path: (payload) => `/runs/${read(payload, 'runId')}`,
  },
  'task.failing': {
    severity: 'error',
    description:
      'At least five, and at least half, of the latest 20 runs of a task failed. At most once per hour.',
    payloadSchema: object({ taskId: text, taskName: text, failed: integer, ended: integer }),
    describe: (payload) =>
      `The task “${read(payload, 'taskName')}” is failing: ${read(payload, 'failed')} of its latest ${read(payload, 'ended')} runs failed.`,
    path: taskPath,
  },
  'task.disabled': {
    severity: 'warning',
    description: 'A task was disabled, by a person or because its owner left the space.',
    payloadSchema: object({ taskId: text, taskName: text, reason: text }),
    describe: (payload) =>
      payload['reason'] === 'OWNER_REMOVED'
        ? `The task “${read(payload, 'taskName')}” was disabled because its owner left the space.`
        : `The task “${read(payload, 'taskName')}” was disabled.`,
    path: taskPath,
  },
  'question.waiting': {
    severity: 'info',
    description:
      'A run, or the turn of an agent, waits for the answer of a person. Again, with `reminder`, before its time is over.',
    payloadSchema: object(
      {
        runId: text,
        taskId: text,
        taskName: text,
        agentId: text,
        agentName: text,
        message: text,
        questionId: text,
        reminder: { type: 'boolean' },
      },
      // The run if one asks, and the agent if its tool needs a person: a turn has no run, and an agent in a run has both.
      ['runId', 'taskId', 'taskName', 'agentId', 'agentName'],
    ),
    describe: (payload) => {
      const asker =
        payload['runId'] === undefined
          ? `agent “${read(payload, 'agentName')}”`
          : `task “${read(payload, 'taskName')}”`;
      return `The ${asker} ${payload['reminder'] === true ? 'still asks' : 'asks'}: ${read(payload, 'message')}`;
    },
    path: (payload) => (payload['runId'] === undefined ? '/inbox' : `/runs/${read(payload, 'runId')}`),
  },
  'subscription.silent': {
    severity: 'warning',
    description:
      'The event of an enabled subscription was emitted on each of seven days, and then not for a day.',
    payloadSchema: object({
      subscriptionId: text,
      applicationIdentifier: text,
      event: text,
      taskId: text,
      lastAt: text,
    }),
    describe: (payload) =>
      `The event ${read(payload, 'applicationIdentifier')}/${read(payload, 'event')}, to which a task subscribes, has not been emitted since ${read(payload, 'lastAt')}.`,
    path: () => '/events/subscriptions',
  },
  'balance.low': {
    severity: 'warning',
    description: 'The balance of the space fell below a tenth of what was last granted. Once per grant.',
    payloadSchema: object({ balance: integer, granted: integer }),
    describe: (payload) => `The balance of the space is low: ${read(payload, 'balance')} tokens are left.`,
    path: () => '/usage',
  },
  'webhook.failing': {
    severity: 'error',
    description: 'A webhook was abandoned after its last attempt.',
    payloadSchema: object({ deliveryId: text, jobId: text, url: text, error: text }),
    describe: (payload) => `A webhook to ${read(payload, 'url')} was abandoned: ${read(payload, 'error')}.`,
    path: (payload) => `/settings/webhooks?tab=deliveries&delivery=${read(payload, 'deliveryId')}`,
  },
};
