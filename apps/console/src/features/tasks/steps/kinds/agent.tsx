import { RobotOutlined } from '@ant-design/icons';
import type { AgentStep } from '@platform/contracts';
import { useQuery } from '@tanstack/react-query';
import { Form, Select } from 'antd';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router';
import { paths } from '../../../../paths.ts';
import { formatJson, JsonView } from '../../../../ui/code/json-view.tsx';
import { allAgentsQuery } from '../../../agents/agents-query.ts';
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
  const agents = useQuery(allAgentsQuery);
  return (
    <>
      <Form.Item
        name={[index, 'agentId']}
        label={t('agents.agent')}
        rules={[{ required: true, message: t('common.required') }]}
      >
        <Select
          loading={agents.isPending}
          placeholder={t('jobs.agentPlaceholder')}
          showSearch={{ optionFilterProp: 'label' }}
          options={(agents.data ?? []).map(({ id, name, accessible }) => ({
            value: id,
            label: accessible ? name : `${name} · ${t('access.notYou')}`,
            disabled: !accessible,
          }))}
        />
      </Form.Item>
      <JsonField name={[index, 'inputs']} label={t('steps.inputs')} />
    </>
  );
}

function Target({ step: { agentId } }: { step: AgentStep }) {
  const agents = useQuery(allAgentsQuery);
  return (
    <Link to={paths.agent(agentId)}>{agents.data?.find(({ id }) => id === agentId)?.name ?? agentId}</Link>
  );
}

function Content({ step }: { step: AgentStep }) {
  const { t } = useTranslation();
  return <JsonView value={step.inputs} label={t('steps.inputs')} />;
}
