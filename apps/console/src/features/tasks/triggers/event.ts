import type { TriggerDescriptor } from './trigger.ts';

/** Subscriptions name the events, so the task has no fields for them. */
export const eventTrigger: TriggerDescriptor = {
  kind: 'EVENT',
  isScheduled: false,
  runHint: 'tasks.runEventHint',
  exampleCode: `// Runs as the body of an async function, once per event.
const { trigger } = context.execution.inputs;
console.log(trigger.event, trigger.id);
return trigger.payload;`,
  Fields: () => null,
};
