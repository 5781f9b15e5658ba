import type { StepKind } from '@platform/contracts';
import { useQuery } from '@tanstack/react-query';
import { Form, Select } from 'antd';
import { useTranslation } from 'react-i18next';
import { CodeField } from '../../ui/code/code-field.tsx';
import { parseJsonObject } from '../../ui/code/parse-json.ts';
import { allAgentsQuery } from '../agents/agents-query.ts';
import { EventSelect } from '../events/catalog/event-select.tsx';
import { allToolsQuery, toolQuery } from '../tools/tools-query.ts';

interface StepFieldsProps {
  index: number;
  kind: StepKind;
}

/** The fields of a step, which depend on its kind. */
export function StepFields({ index, kind }: StepFieldsProps) {
  switch (kind) {
    case 'code':
      return <CodeFields index={index} />;
    case 'agent':
      return <AgentFields index={index} />;
    case 'emit':
      return <EmitFields index={index} />;
    case 'tool':
      return <ToolFields index={index} />;
  }
}

function CodeFields({ index }: { index: number }) {
  const { t } = useTranslation();
  return (
    <Form.Item
      name={[index, 'source']}
      label={t('steps.source')}
      extra={t('steps.sourceHint')}
      rules={[{ required: true, whitespace: true, message: t('common.required') }]}
    >
      <CodeField language="javascript" label={t('steps.source')} minHeight="160px" />
    </Form.Item>
  );
}

function AgentFields({ index }: { index: number }) {
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
      <JsonField index={index} name="inputs" label={t('steps.inputs')} />
    </>
  );
}

function EmitFields({ index }: { index: number }) {
  const { t } = useTranslation();
  return (
    <>
      <Form.Item
        name={[index, 'event']}
        label={t('eventLog.event')}
        extra={t('steps.emitHint')}
        rules={[{ required: true, message: t('common.required') }]}
      >
        <EventSelect />
      </Form.Item>
      <JsonField index={index} name="payload" label={t('eventLog.payload')} />
    </>
  );
}

function ToolFields({ index }: { index: number }) {
  const { t } = useTranslation();
  const form = Form.useFormInstance();
  const toolId = Form.useWatch(['workflow', 'steps', index, 'toolId'], form) as string | undefined;
  const tools = useQuery(allToolsQuery);
  const tool = useQuery({ ...toolQuery(toolId ?? ''), enabled: toolId !== undefined });
  const required = [{ required: true, message: t('common.required') }];
  return (
    <>
      <div className="form-pair">
        <Form.Item name={[index, 'toolId']} label={t('steps.toolId')} rules={required}>
          <Select
            loading={tools.isPending}
            placeholder={t('steps.toolPlaceholder')}
            showSearch={{ optionFilterProp: 'label' }}
            options={(tools.data ?? []).map(({ id, name }) => ({ value: id, label: name }))}
            // The methods of another tool are others.
            onChange={() => form.setFieldValue(['workflow', 'steps', index, 'method'], undefined)}
          />
        </Form.Item>
        <Form.Item name={[index, 'method']} label={t('steps.method')} rules={required}>
          <Select
            className="mono"
            loading={tool.isLoading}
            placeholder={t('steps.methodPlaceholder')}
            showSearch
            options={(tool.data?.methods ?? []).map(({ name, enabled }) => ({
              value: name,
              label: name,
              disabled: !enabled,
            }))}
          />
        </Form.Item>
      </div>
      <JsonField index={index} name="input" label={t('steps.input')} />
    </>
  );
}

interface JsonFieldProps {
  index: number;
  name: 'input' | 'inputs' | 'payload';
  label: string;
}

function JsonField({ index, name, label }: JsonFieldProps) {
  const { t } = useTranslation();
  return (
    <Form.Item
      name={[index, name]}
      label={label}
      extra={t('steps.templateHint')}
      rules={[
        {
          validator: (_, text: string | undefined) =>
            parseJsonObject(text ?? '') === undefined
              ? Promise.reject(new Error(t('emission.notAnObject')))
              : Promise.resolve(),
        },
      ]}
    >
      <CodeField language="json" label={label} minHeight="80px" />
    </Form.Item>
  );
}
