import { RobotOutlined } from '@ant-design/icons';
import type { AgentStep } from '@platform/contracts';
import { Form } from 'antd';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router';
import { paths } from '../../../../paths.ts';
import { formatJson, JsonView } from '../../../../ui/code/json-view.tsx';
import { NameOf } from '../../../../ui/names/name-of.tsx';
import { agentNames } from '../../../agents/agent-names.ts';
import { AgentSelect } from '../../../agents/agent-select.tsx';
import { JsonField, parseObject } from './json-field.tsx';
import type { StepDescriptor, StepFieldsProps, StepTexts } from '../step-kind.ts';

export const agentStep: StepDescriptor<AgentStep, StepTexts<'agentId' | 'inputs'>> = {
  kind: 'agent',
  icon: <RobotOutlined aria-hidden />,
  hasTurns: true,
  create: () => ({ agentId: undefined, inputs: formatJson({ query: '' }) }),
  listOutputs: () => ['answer', 'token_usage'],
  toValues: ({ agentId, inputs }) => ({ agentId, inputs: formatJson(inputs) }),
  toStep: (id, { agentId = '', inputs }) => ({ id, kind: 'agent', agentId, inputs: parseObject(inputs) }),
  Fields,
  Target,
  Content,
};

function Fields({ index }: StepFieldsProps) {
  const { t } = useTranslation();
  return (
    <>
      <Form.Item
        name={[index, 'agentId']}
        label={t('agents.agent')}
        rules={[{ required: true, message: t('common.required') }]}
      >
        <AgentSelect />
      </Form.Item>
      <JsonField name={[index, 'inputs']} label={t('steps.inputs')} />
    </>
  );
}

function Target({ step: { agentId } }: { step: AgentStep }) {
  return (
    <Link to={paths.agent(agentId)}>
      <NameOf source={agentNames} id={agentId} />
    </Link>
  );
}

function Content({ step }: { step: AgentStep }) {
  const { t } = useTranslation();
  return <JsonView value={step.inputs} label={t('steps.inputs')} />;
}
