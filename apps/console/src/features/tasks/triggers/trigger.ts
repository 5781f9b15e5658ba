import type { TaskType } from '@platform/contracts';
import type { ReactNode } from 'react';

/** What the console knows about a way to start tasks. Its names are in the texts: `tasks.types` and `taskForm.typeHints`. */
export interface TriggerDescriptor {
  kind: TaskType;
  /** Whether tasks of this type have a schedule. */
  isScheduled: boolean;
  /** The text above the inputs of a run that is started by hand. */
  runHint: 'tasks.runHint' | 'tasks.runEventHint';
  /** The source of a new code step. */
  exampleCode: string;
  /** Its fields in the form of a task. */
  Fields(): ReactNode;
}

export const EXAMPLE_CODE = `// Runs as the body of an async function.
console.log('started with', context.execution.inputs);
return { answer: 42 };`;
