import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import type { Step } from '@platform/contracts';
import { isObject } from '../../infra/runtime/json.ts';
import { expressionProblem } from '../definition/step-fields.ts';
import { addContainerKind } from '../definition/step-kinds.ts';
import { StepSchema } from '../definition/step.schema.ts';

const MAX_BRANCHES = 20;

class BranchDto {
  /** A JavaScript expression, as the `when` of a step. */
  @ApiProperty({ example: 'trigger.payload.amount > 100' })
  when!: string;
  @ApiProperty({ type: 'array', items: { type: 'object' } })
  steps!: Step[];
}

/** Executes the steps of the first branch whose condition holds. Its output is that of the last of them. */
class BranchStepDto extends StepSchema {
  @ApiProperty({ enum: ['branch'] })
  kind!: 'branch';
  /** Looked at in their order. */
  @ApiProperty({ type: () => BranchDto, isArray: true, minItems: 1, maxItems: MAX_BRANCHES })
  branches!: BranchDto[];
  /** The steps if no condition holds. Default: none. */
  @ApiPropertyOptional({ type: 'array', items: { type: 'object' } })
  otherwise?: Step[];
}

function checkBranches(value: unknown): string | null {
  if (!Array.isArray(value) || value.length === 0 || value.length > MAX_BRANCHES)
    return `must be an array of 1 to ${MAX_BRANCHES} branches`;
  for (const [i, branch] of value.entries()) {
    if (!isObject(branch)) return `must have an object with when and steps at ${i}`;
    const unknown = Object.keys(branch).find((key) => key !== 'when' && key !== 'steps');
    if (unknown !== undefined) return `must not have the field ${JSON.stringify(unknown)} at ${i}`;
    const problem = expressionProblem(branch.when);
    if (problem !== null) return `has a condition at ${i} that ${problem}`;
  }
  return null;
}

const isGiven = (value: unknown) => value !== undefined && value !== null;

addContainerKind<BranchStepDto>({
  kind: 'branch',
  schema: BranchStepDto,
  fields: {
    branches: checkBranches,
    otherwise: (value) => (!isGiven(value) || Array.isArray(value) ? null : 'must be an array of steps'),
  },
  input: null,
  acts: false,
  nested: ({ branches, otherwise }) => [
    ...(branches as BranchDto[]).map((branch, i) => ({ path: ['branches', i, 'steps'], ...branch })),
    ...(isGiven(otherwise) ? [{ path: ['otherwise'], steps: otherwise }] : []),
  ],
});
