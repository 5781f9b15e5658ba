import type { StepKind } from '@platform/contracts';
import { agentStep } from './kinds/agent.tsx';
import { askStep } from './kinds/ask.tsx';
import { branchStep } from './kinds/branch.tsx';
import { codeStep } from './kinds/code.tsx';
import { dataStep } from './kinds/data.tsx';
import { eachStep } from './kinds/each.tsx';
import { emitStep } from './kinds/emit.tsx';
import { taskStep } from './kinds/task.tsx';
import { toolStep } from './kinds/tool.tsx';
import { waitStep } from './kinds/wait.tsx';
import type { StepDescriptor } from './step-kind.ts';

/** All kinds of steps, in the order in which they are offered. */
export const STEP_KINDS: Record<StepKind, StepDescriptor> = {
  code: codeStep,
  agent: agentStep,
  emit: emitStep,
  tool: toolStep,
  data: dataStep,
  ask: askStep,
  branch: branchStep,
  each: eachStep,
  wait: waitStep,
  task: taskStep,
};
