import { ToolOutlined } from '@ant-design/icons';
import type { ToolStep } from '@platform/contracts';
import { useQuery } from '@tanstack/react-query';
import { Form, Input, Select } from 'antd';
import { useTranslation } from 'react-i18next';
import { formatJson, JsonView } from '../../../../ui/code/json-view.tsx';
import { PolicyField } from '../../../approvals/policy-field.tsx';
import '../../../approvals/approvals.css';
import { NameOf } from '../../../../ui/names/name-of.tsx';
import { NameSelect } from '../../../../ui/names/name-select.tsx';
import { toolNames, toolQuery } from '../../../tools/tools-query.ts';
import { JsonField, parseObject } from './json-field.tsx';
import type { StepDescriptor, StepFieldsProps, StepTexts } from '../step-kind.ts';

type Values = StepTexts<'toolId' | 'method' | 'input' | 'acceptStatus'> & Pick<ToolStep, 'policy'>;

export const toolStep: StepDescriptor<ToolStep, Values> = {
  kind: 'tool',
  icon: <ToolOutlined aria-hidden />,
  hasTurns: false,
  create: () => ({ toolId: undefined, method: undefined, input: '{}', acceptStatus: '', policy: null }),
  listOutputs: () => ['output', 'status'],
  toValues: ({ toolId, method, input, acceptStatus, policy = null }) => ({
    toolId,
    method,
    input: formatJson(input),
    acceptStatus: formatStatuses(acceptStatus),
    policy,
  }),
  toStep: (id, { toolId = '', method = '', input, acceptStatus = '', policy = null }) => ({
    id,
    kind: 'tool',
    toolId,
    method,
    input: parseObject(input),
    ...(acceptStatus.trim() !== '' && { acceptStatus: parseStatuses(acceptStatus) }),
    ...(policy !== null && { policy }),
  }),
  Fields,
  Target,
  Content,
};

const STATUSES_EXAMPLE = '404, 5xx';
/** Error statuses with commas between them. */
const STATUSES = /^\s*(([45]\d\d|4xx|5xx)\s*(,\s*([45]\d\d|4xx|5xx)\s*)*)?$/;

function formatStatuses(statuses: ToolStep['acceptStatus']): string {
  return (statuses ?? []).join(', ');
}

function parseStatuses(text: string): NonNullable<ToolStep['acceptStatus']> {
  const parts = text.split(',').map((part) => part.trim());
  return parts.map((part) => (part === '4xx' || part === '5xx' ? part : Number(part)));
}

function Fields({ index, path }: StepFieldsProps) {
  const { t } = useTranslation();
  const form = Form.useFormInstance();
  const toolId = Form.useWatch([...path, 'toolId'], form) as string | undefined;
  const tool = useQuery({ ...toolQuery(toolId ?? ''), enabled: toolId !== undefined });
  const required = [{ required: true, message: t('common.required') }];
  return (
    <>
      <div className="form-pair">
        <Form.Item name={[index, 'toolId']} label={t('steps.toolId')} rules={required}>
          <NameSelect
            source={toolNames}
            placeholder={t('steps.toolPlaceholder')}
            // The methods of another tool are others.
            onChange={() => form.setFieldValue([...path, 'method'], undefined)}
          />
        </Form.Item>
        <Form.Item name={[index, 'method']} label={t('steps.method')} rules={required}>
          <Select
            className="mono"
            loading={tool.isLoading}
            {...(tool.isLoadingError && { notFoundContent: t('names.notLoaded') })}
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
      <JsonField name={[index, 'input']} label={t('steps.input')} />
      <Form.Item
        name={[index, 'acceptStatus']}
        label={t('steps.acceptStatus')}
        extra={t('steps.acceptStatusHint')}
        rules={[{ pattern: STATUSES, message: t('steps.acceptStatusRule') }]}
      >
        <Input className="mono" placeholder={STATUSES_EXAMPLE} />
      </Form.Item>
      <Form.Item name={[index, 'policy']} label={t('approvals.policy')} extra={t('approvals.stepHint')}>
        <PolicyField label={t('approvals.policy')} preset={t('approvals.presetOfMethod')} />
      </Form.Item>
    </>
  );
}

function Target({ step }: { step: ToolStep }) {
  return (
    <>
      <NameOf source={toolNames} id={step.toolId} /> <span className="mono">{step.method}</span>
    </>
  );
}

function Content({ step }: { step: ToolStep }) {
  const { t } = useTranslation();
  const accepted = formatStatuses(step.acceptStatus);
  return (
    <>
      <JsonView value={step.input} label={t('steps.input')} />
      {accepted !== '' && (
        <span className="muted">
          {t('steps.acceptStatus')}: <span className="mono">{accepted}</span>
        </span>
      )}
      {step.policy && (
        <span className="muted">
          {t('approvals.policy')}: {t(`approvals.modes.${step.policy.mode}`)}
        </span>
      )}
    </>
  );
}
