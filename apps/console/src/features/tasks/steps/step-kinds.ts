import type { StepKind } from '@platform/contracts';
import { agentStep } from './agent.tsx';
import { codeStep } from './code.tsx';
import { dataStep } from './data.tsx';
import { emitStep } from './emit.tsx';
import type { StepDescriptor } from './step-kind.ts';
import { toolStep } from './tool.tsx';

/** All kinds of steps, in the order in which they are offered. */
export const STEP_KINDS: Record<StepKind, StepDescriptor> = {
  code: codeStep,
  agent: agentStep,
  emit: emitStep,
  tool: toolStep,
  data: dataStep,
};
