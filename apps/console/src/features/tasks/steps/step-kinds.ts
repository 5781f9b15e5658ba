import {
  BranchesOutlined,
  BuildOutlined,
  ClockCircleOutlined,
  QuestionCircleOutlined,
  RetweetOutlined,
} from '@ant-design/icons';
import type { StepKind } from '@platform/contracts';
import { createElement } from 'react';
import { agentStep } from './agent.tsx';
import { codeStep } from './code.tsx';
import { dataStep } from './data.tsx';
import { emitStep } from './emit.tsx';
import { jsonStep } from './json-step.tsx';
import type { StepDescriptor } from './step-kind.ts';
import { toolStep } from './tool.tsx';

/** All kinds of steps, in the order in which they are offered. */
export const STEP_KINDS: Record<StepKind, StepDescriptor> = {
  code: codeStep,
  agent: agentStep,
  emit: emitStep,
  tool: toolStep,
  data: dataStep,
  ask: jsonStep('ask', createElement(QuestionCircleOutlined), {
    message: 'Refund {{inputs.amount}}?',
    to: 'owner',
    approval: true,
    fields: [{ key: 'reason', label: 'Reason', type: 'text', required: false }],
  }),
  branch: jsonStep('branch', createElement(BranchesOutlined), {
    branches: [
      { when: 'inputs.amount > 100', steps: [{ id: 'large', kind: 'code', source: 'return true;' }] },
    ],
    otherwise: [{ id: 'small', kind: 'code', source: 'return false;' }],
  }),
  each: jsonStep('each', createElement(RetweetOutlined), {
    items: '{{inputs.orders}}',
    concurrency: 1,
    steps: [{ id: 'handle', kind: 'code', source: 'return context.item;' }],
  }),
  wait: jsonStep('wait', createElement(ClockCircleOutlined), { for: 'PT1H' }),
  task: jsonStep('task', createElement(BuildOutlined), { taskId: '', inputs: {} }),
};
