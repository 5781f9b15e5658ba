import type { Step, TaskType } from '@platform/contracts';
import type { ReactNode } from 'react';

/** The fields of a step as entered. Objects are JSON texts. */
export type StepValues<Field extends string = string> = Partial<Record<Field, string | undefined>>;

/** What the console knows about a kind of step. Its names are in the texts: `stepKinds` and `steps.addKinds`. */
export interface StepDescriptor<S extends Step = Step, Field extends string = string> {
  kind: S['kind'];
  icon: ReactNode;
  /** Whether its runs have turns, which can be traced. */
  hasTurns: boolean;
  /** Returns all fields, filled for a new step of a task that is started in this way. */
  create(type: TaskType): Record<Field, string | undefined>;
  toValues(step: S): Record<Field, string>;
  toStep(id: string, values: StepValues<Field>): S;
  /** The fields in the form of a task. */
  Fields(props: { index: number }): ReactNode;
  /** What the step calls. */
  Target(props: { step: S }): ReactNode;
  /** What the step does it with. */
  Content(props: { step: S }): ReactNode;
}
