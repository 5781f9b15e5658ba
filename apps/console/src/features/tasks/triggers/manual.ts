import { EXAMPLE_CODE, type TriggerDescriptor } from './trigger.ts';

export const manualTrigger: TriggerDescriptor = {
  kind: 'MANUAL',
  isScheduled: false,
  runHint: 'tasks.runHint',
  exampleCode: EXAMPLE_CODE,
  Fields: () => null,
};
