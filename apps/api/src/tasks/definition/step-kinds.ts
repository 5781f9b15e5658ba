import type { Type } from '@nestjs/common';
import type { ManifestColumn, Step } from '@platform/contracts';
import { isText } from '../../infra/requests/text.ts';
import { isObject, withoutNulls, type JsonObject } from '../../infra/runtime/json.ts';
import type { Path, Problem } from './problems.ts';
import type { StepSchema } from './step.schema.ts';
import { resolveTemplates, type TemplateScope } from '../templates/template.ts';

export interface AnyStep {
  id: string;
  kind: string;
}

/** Returns what is wrong with the value of a field, without its path; null if nothing is. */
type FieldCheck = (value: unknown) => string | null;

/** What a manifest declares besides its tasks. */
interface ManifestFacts {
  identifier: unknown;
  events: ReadonlySet<string>;
  /** The columns of each table. */
  tables: ReadonlyMap<string, readonly ManifestColumn[]>;
}

/** Steps inside a step. */
interface NestedSteps {
  /** Where they are in the step, such as `['branches', 0, 'steps']`. */
  path: Path;
  /** As given: what is stored has been checked. */
  steps: unknown;
  /** Their condition, a field beside them. Absent: they have none. */
  when?: unknown;
}

type FieldOf<S extends AnyStep> = Exclude<keyof S, keyof StepSchema | 'kind'>;

/** All that differs between the kinds of steps, except what running them needs. */
export interface StepDescriptor<S extends AnyStep = AnyStep & JsonObject> {
  kind: S['kind'];
  /** Describes the steps in the API document. */
  schema: Type<S>;
  /** The fields besides `id` and `kind`. */
  fields: Record<FieldOf<S>, FieldCheck>;
  /** Checks `timeoutMs` of a kind that waits for so long without being executed. Absent: it limits an execution. */
  timeout?: FieldCheck;
  /**
   * The field with the values that the step works on: it may contain templates, and the run shows it. Of several, the run shows
   * an object with those that are given. Null: it has none.
   */
  input: FieldOf<S> | FieldOf<S>[] | null;
  /** The steps that it contains, if its fields are valid. Absent: none. */
  nested?(step: JsonObject): NestedSteps[];
  /** What its templates and nested steps can read besides what those before it can. */
  names?: readonly string[];
  /** Whether an execution that nobody knows the end of may have had an effect, which a repetition would have again. */
  acts: boolean;
  /**
   * Whether it is executed with a `StartingContext`, before it is stored that it is, and calls `start` before it changes anything.
   * Absent: it is executed afterwards.
   */
  startsItself?: boolean;
  /** Whether a step with valid fields changes anything outside of the run. Absent: as `acts`. */
  hasEffects?(step: S): boolean;
  /** In which tests of a task the step is not executed. Absent: in those without effects, if it has some. */
  simulated?: 'always' | 'without-effects';
  /** Further fields that may contain templates. */
  templates?: FieldOf<S>[];
  /** The fields that its output can have. Absent: any. */
  output?: readonly string[];
  /** How the code of a task calls the action. Absent: it cannot. */
  codeName?: string;
  /** Whether only admins make and own such steps. */
  requiresAdmin?: boolean;
  /** Returns what is wrong with a step of a manifest. Its own fields may be wrong in any way. */
  checkInManifest?(step: JsonObject, manifest: ManifestFacts): Problem[];
}

interface StepKindEntry extends StepDescriptor {
  /** Null: the executor itself runs the steps that it contains. */
  action: Type | null;
}

const kinds = new Map<string, StepKindEntry>();

/** Makes an injectable `Action` what executes the steps of a kind. Everything else about the kind is in the descriptor. */
export function RunsSteps<S extends AnyStep>(descriptor: StepDescriptor<S>): (action: Type) => void {
  return (action) => addKind(descriptor, action);
}

/** Adds a kind of steps that contain others. */
export function addContainerKind<S extends AnyStep>(descriptor: StepDescriptor<S>): void {
  addKind(descriptor, null);
}

function addKind<S extends AnyStep>(descriptor: StepDescriptor<S>, action: Type | null): void {
  if (kinds.has(descriptor.kind)) throw new Error(`Steps of kind ${descriptor.kind} already have an action`);
  kinds.set(descriptor.kind, { ...(descriptor as unknown as StepDescriptor), action });
}

/** Returns null if no action has registered the kind. */
export function findStepKind(kind: unknown): StepKindEntry | null {
  return kinds.get(kind as string) ?? null;
}

/** All kinds by their names, whatever the order in which their modules were loaded. */
export function listStepKinds(): StepKindEntry[] {
  return [...kinds.values()].sort((a, b) => (a.kind < b.kind ? -1 : 1));
}

/** Returns a step with its templates resolved. */
export function resolveStep(step: Step, scope: TemplateScope): Step {
  const values = templateFields(findStepKind(step.kind)).map((field): [string, unknown] => {
    const value = (step as object as JsonObject)[field];
    return [field, value === undefined ? undefined : resolveTemplates(value, scope)];
  });
  return { ...step, ...Object.fromEntries(values) };
}

/** The fields of a kind that may contain templates. */
export function templateFields(kind: StepDescriptor | null): string[] {
  if (kind === null) return [];
  return [...inputFields(kind), ...(kind.templates ?? [])];
}

/** Returns the values that a step works on; undefined if its kind has none. */
export function inputOf(step: Step): unknown {
  const kind = findStepKind(step.kind);
  const values = step as object as JsonObject;
  if (kind === null || kind.input === null) return undefined;
  if (!Array.isArray(kind.input)) return values[kind.input];
  return withoutNulls(Object.fromEntries(kind.input.map((field) => [field, values[field]])));
}

function inputFields({ input }: StepDescriptor): string[] {
  if (input === null) return [];
  return Array.isArray(input) ? input : [input];
}

const MAX_NAME_LENGTH = 255;

/** A field that names something. */
export const checkName: FieldCheck = (value) =>
  isText(value) && value !== '' && value.length <= MAX_NAME_LENGTH
    ? null
    : `must be a text of 1 to ${MAX_NAME_LENGTH} characters`;

/** A field that can be left out. */
export const checkGiven =
  (check: FieldCheck): FieldCheck =>
  (value) =>
    value === undefined || value === null ? null : check(value);

/** A field with values by their names. */
export const checkValues: FieldCheck = (value) => (isObject(value) ? null : 'must be an object');
