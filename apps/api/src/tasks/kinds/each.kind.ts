import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import type { Step } from '@platform/contracts';
import { isObject } from '../../infra/runtime/json.ts';
import { integerProblem } from '../definition/step-fields.ts';
import { addContainerKind, checkGiven } from '../definition/step-kinds.ts';
import { StepSchema } from '../definition/step.schema.ts';
import { hasTemplate } from '../templates/template.ts';

export const MAX_ITEMS = 1_000;
const MAX_CONCURRENCY = 10;

/** Executes its steps for each item. Its output has one entry per item: `{ status, output }` or `{ status, error }`. */
class EachStepDto extends StepSchema {
  @ApiProperty({ enum: ['each'] })
  kind!: 'each';
  /** At most 1,000. Usually a template of an array, such as `{{steps.load.output.orders}}`. The steps read `item` and `index`. */
  @ApiProperty({ anyOf: [{ type: 'string' }, { type: 'array', items: {} }] })
  items!: unknown;
  /** How many items have begun and not ended at most. Default: 1. */
  @ApiPropertyOptional({ type: 'integer', minimum: 1, maximum: MAX_CONCURRENCY })
  concurrency?: number;
  /** `stop`: the first failure fails the step. `continue`: its entry has the error. Default: `stop`. */
  @ApiPropertyOptional({ enum: ['stop', 'continue'] })
  onItemError?: 'stop' | 'continue';
  @ApiProperty({ type: 'array', items: { type: 'object' } })
  steps!: Step[];
}

/** What became of the items of a step. */
interface ItemCounts {
  count: number;
  failed: number;
}

/** Counts the items in the output of a step of this kind; null for other steps, and if there is none. */
export function countItems({ kind, output }: { kind: string; output: unknown }): ItemCounts | null {
  if (kind !== 'each' || !Array.isArray(output)) return null;
  const failed = output.filter((entry) => isObject(entry) && entry.status === 'FAILED').length;
  return { count: output.length, failed };
}

function checkItems(value: unknown): string | null {
  if (Array.isArray(value)) return value.length <= MAX_ITEMS ? null : `must have at most ${MAX_ITEMS} items`;
  return typeof value === 'string' && hasTemplate(value) ? null : 'must be an array, or a template of one';
}

addContainerKind<EachStepDto>({
  kind: 'each',
  schema: EachStepDto,
  fields: {
    items: checkItems,
    concurrency: checkGiven((value) => integerProblem(value, 1, MAX_CONCURRENCY)),
    onItemError: checkGiven((value) =>
      value === 'stop' || value === 'continue' ? null : 'must be stop or continue',
    ),
    steps: (value) => (Array.isArray(value) ? null : 'must be an array of steps'),
  },
  input: 'items',
  acts: false,
  names: ['item', 'index'],
  nested: ({ steps }) => [{ path: ['steps'], steps }],
});
