import type { Step, StepKind, TaskType } from '@platform/contracts';
import type { ComponentType, ReactNode } from 'react';

/** The place of a value in the form of a task. */
export type Path = readonly (string | number)[];

/** The fields of a step that are entered as texts. Objects are JSON texts. */
export type StepTexts<Field extends string> = Record<Field, string | undefined>;

/** The fields of every step besides its id and kind. */
export interface StepOptions {
  name?: string | undefined;
  when?: string | undefined;
  retry?: { attempts?: number | null; backoffMs?: number | null } | undefined;
  timeoutMs?: number | null | undefined;
  onError?: Step['onError'] | undefined;
}

/** A step as entered, with the fields of its kind. They have the names of the request, so that errors of the service find them. */
export interface StepForm extends StepOptions {
  id: string;
  kind: StepKind;
  /** All other fields as a JSON text, while the step is edited as such. */
  json?: string | undefined;
  [field: string]: unknown;
}

/** A list of steps inside of a step. */
interface NestedSteps {
  path: Path;
  steps: readonly StepForm[];
}

/** Converts the steps inside of a step. */
export interface StepConverter {
  toForms: (steps: readonly Step[]) => StepForm[];
  toSteps: (forms: readonly StepForm[]) => Step[];
}

export interface StepListProps {
  /** Its place in the list of the form around it. */
  name: Path;
  /** Its place in the whole form. */
  path: Path;
  /** The number of the step that contains it, as in `2.1`; empty for the workflow. */
  number: string;
  depth: number;
  label: string;
  isOptional?: boolean;
}

export interface StepFieldsProps {
  index: number;
  path: Path;
  number: string;
  depth: number;
  /** The steps inside of this one. */
  StepList: ComponentType<StepListProps>;
}

interface StepContentProps<S extends Step> {
  step: S;
  /** Shows the steps inside of this one. */
  StepsView: ComponentType<{ steps: readonly Step[] }>;
}

/** What the console knows about a kind of step. Its names are in the texts: `stepKinds` and `steps.addKinds`. */
export interface StepDescriptor<S extends Step = Step, Values extends object = object> {
  kind: S['kind'];
  icon: ReactNode;
  /** Whether its runs have turns, which can be traced. */
  hasTurns: boolean;
  /** Whether `timeoutMs` is a field of the kind, which its own form shows. */
  hasOwnTimeout?: boolean;
  /** The lists of steps in it, if it contains steps. */
  listSteps?(values: Partial<Values>): NestedSteps[];
  /** The fields of its output that are known, such as `values.amount`. */
  listOutputs?(values: Partial<Values>): string[];
  /** Returns all fields, filled for a new step of a task that is started in this way. */
  create(type: TaskType): Values;
  toValues(step: S, convert: StepConverter): Values;
  toStep(id: string, values: Partial<Values>, convert: StepConverter): S;
  /** The fields in the form of a task. */
  Fields(props: StepFieldsProps): ReactNode;
  /** What the step calls. */
  Target(props: { step: S }): ReactNode;
  /** What the step does it with. */
  Content(props: StepContentProps<S>): ReactNode;
}
