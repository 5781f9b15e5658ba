import type { TestTaskRequest, Workflow } from '@platform/contracts';
import { formatJson } from '../../../ui/code/json-view.tsx';
import { parseJsonObject } from '../../../ui/code/parse-json.ts';
import { parseEventKey } from '../../events/catalog/catalog-query.ts';
import { findInputNames } from '../steps/templates/template-paths.ts';

export type TestSource = 'past' | 'event' | 'inputs';

/** What a test is given, as entered. */
export interface TestInput {
  source: TestSource;
  envelopeId: string | undefined;
  /** Of the events one of which is chosen; undefined: the first that the task subscribes to. */
  pastEventKey: string | undefined;
  /** Of the event that is made up. */
  eventKey: string | undefined;
  payload: string;
  inputs: string;
}

/** Returns what is entered as the fields of the request; null if something is missing or is not a JSON object. */
export function toTestRequest({
  source,
  envelopeId,
  eventKey,
  ...texts
}: TestInput): Pick<TestTaskRequest, 'envelopeId' | 'trigger' | 'inputs'> | null {
  if (source === 'past') return envelopeId === undefined ? null : { envelopeId };
  if (source === 'inputs') {
    const inputs = parseJsonObject(texts.inputs);
    return inputs === undefined ? null : { inputs };
  }
  const payload = parseJsonObject(texts.payload);
  if (eventKey === undefined || payload === undefined) return null;
  return { trigger: { event: parseEventKey(eventKey).event, payload } };
}

/** Returns inputs to begin with: an empty text for each that the workflow reads. */
export function createInputs(workflow: Workflow): string {
  return formatJson(Object.fromEntries(findInputNames(workflow.steps).map((name) => [name, ''])));
}
