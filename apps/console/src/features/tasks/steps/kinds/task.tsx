import { BuildOutlined } from '@ant-design/icons';
import type { TaskStep } from '@platform/contracts';
import { Form, Switch } from 'antd';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router';
import { paths } from '../../../../paths.ts';
import { JsonView, formatJson } from '../../../../ui/code/json-view.tsx';
import { NameOf } from '../../../../ui/names/name-of.tsx';
import { NameSelect } from '../../../../ui/names/name-select.tsx';
import { taskNames } from '../../task-names.ts';
import type { StepDescriptor, StepFieldsProps } from '../step-kind.ts';
import { JsonField, parseObject } from './json-field.tsx';

interface Call {
  taskId: string | undefined;
  inputs: string | undefined;
  wait?: boolean | undefined;
}

export const taskStep: StepDescriptor<TaskStep, Call> = {
  kind: 'task',
  icon: <BuildOutlined aria-hidden />,
  hasTurns: false,
  create: () => ({ taskId: undefined, inputs: '{}' }),
  listOutputs: () => ['output', 'runId', 'status'],
  toValues: ({ taskId, inputs, wait }) => ({ taskId, inputs: formatJson(inputs), wait }),
  toStep: (id, { taskId = '', inputs, wait }) => ({
    id,
    kind: 'task',
    taskId,
    inputs: parseObject(inputs),
    ...(wait !== undefined && { wait }),
  }),
  Fields,
  Target,
  Content,
};

function Fields({ index }: StepFieldsProps) {
  const { t } = useTranslation();
  return (
    <>
      <Form.Item
        name={[index, 'taskId']}
        label={t('runs.task')}
        rules={[{ required: true, message: t('common.required') }]}
      >
        <NameSelect source={taskNames} placeholder={t('steps.task.placeholder')} />
      </Form.Item>
      <JsonField name={[index, 'inputs']} label={t('steps.task.inputs')} />
      <Form.Item
        name={[index, 'wait']}
        label={t('steps.task.wait')}
        extra={t('steps.task.waitHint')}
        getValueProps={(wait: boolean | undefined) => ({ checked: wait ?? true })}
      >
        <Switch />
      </Form.Item>
    </>
  );
}

function Target({ step: { taskId } }: { step: TaskStep }) {
  return (
    <Link to={paths.task(taskId)}>
      <NameOf source={taskNames} id={taskId} />
    </Link>
  );
}

function Content({ step: { inputs, wait = true } }: { step: TaskStep }) {
  const { t } = useTranslation();
  return (
    <>
      <JsonView value={inputs} label={t('steps.task.inputs')} />
      {!wait && <span className="muted">{t('steps.task.noWait')}</span>}
    </>
  );
}
