import type { EventFilter, JsonSchema, Workflow } from '@platform/contracts';
import { isObject } from '../../infra/runtime/json.ts';
import { formatProblem } from '../../tasks/definition/problems.ts';
import { checkPayloadTemplates } from '../../tasks/definition/workflow.ts';
import { findUnfit } from './filter-fit.ts';
import { hasOperators } from './filter-operators.ts';
import type { ActiveSubscription } from './subscriptions.store.ts';

/** Keywords that can allow fields which `properties` does not name. */
const OPEN = ['patternProperties', '$ref', '$dynamicRef', 'allOf', 'anyOf', 'oneOf', 'if'];

/**
 * Why a subscription would not fire for events with the schema, or would not tell them apart by its key, or why its task would
 * fail; null if nothing speaks against it.
 */
export function findBreakage(
  subscription: Pick<ActiveSubscription, 'filter' | 'debounce' | 'batch'>,
  workflow: Workflow | null,
  schema: JsonSchema | undefined,
): string | null {
  if (schema === undefined) return 'the new version does not declare the event';
  const { filter, batch } = subscription;
  const unresolvable =
    workflow === null ? [] : checkPayloadTemplates(workflow, schema, ['workflow'], batch !== null);
  const [problem] = [...findUnfit(subscription, schema), ...unresolvable];
  if (problem !== undefined) return formatProblem(problem);
  return findUndeclared(filter, schema);
}

/** An open schema allows what it does not declare, but then a field that it declared before was probably dropped. */
function findUndeclared(filter: EventFilter | null, schema: JsonSchema): string | null {
  if (filter === null || !isObject(schema) || !isObject(schema.properties)) return null;
  if (OPEN.some((keyword) => Object.hasOwn(schema, keyword))) return null;
  for (const [field, wanted] of Object.entries(filter)) {
    if (hasOperators(wanted)) continue;
    if (
      Object.hasOwn(schema.properties, field) ||
      Object.hasOwn(schema.properties, field.split('.')[0] ?? '')
    )
      continue;
    return `the filter names ${JSON.stringify(field)}, which the new schema does not have`;
  }
  return null;
}
