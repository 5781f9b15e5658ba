import { ExperimentOutlined } from '@ant-design/icons';
import type { TaskType } from '@platform/contracts';
import { Button, Collapse, Form, Input, InputNumber, Segmented, Switch } from 'antd';
import { useTranslation } from 'react-i18next';
import { Card } from '../../ui/layout/card.tsx';
import { SaveBar } from '../../ui/forms/save-bar.tsx';
import { usePageForm } from '../../ui/forms/use-page-form.ts';
import { StepsField } from './steps/steps-field.tsx';
import { TemplateScope } from './steps/templates/template-scope.tsx';
import { findTaskField, toChangedWorkflow, type TaskForm } from './task.ts';
import { TestPanel } from './testing/test-panel.tsx';
import type { TaskTest } from './testing/use-task-test.ts';
import { TRIGGERS } from './triggers/triggers.ts';
import './tasks.css';

interface TaskFormCardsProps {
  initial: TaskForm;
  submitLabel: string;
  /** Whether the current values are saved. */
  saved?: boolean;
  onSubmit: (values: TaskForm, isLatest: () => boolean) => Promise<unknown>;
  onCancel: () => void;
  /** Of a task that is stored. */
  test?: TaskTest;
}

/** The form for all fields of a task, with its test beside it. Ctrl+S or Cmd+S saves it. */
export function TaskFormCards({
  initial,
  submitLabel,
  saved = false,
  onSubmit,
  onCancel,
  test,
}: TaskFormCardsProps) {
  const { t } = useTranslation();
  const { form, formProps, isDirty, isSending, showErrors, readValues } = usePageForm({
    initial,
    fields: findTaskField,
    saved,
    onSubmit,
  });
  const type = Form.useWatch<TaskType | undefined>('type', form) ?? initial.type;
  return (
    <TemplateScope taskId={test?.task.id} type={type} tested={test?.run}>
      <div className={test?.isOpen ? 'task-tested' : undefined}>
        <Form<TaskForm> {...formProps}>
          <div className="stack-cards">
            <Basics type={type} isNew={initial.name === ''} />
            <Card title={t('taskForm.steps')} text={t('taskForm.stepsText')}>
              <StepsField />
            </Card>
            <AdvancedCard />
          </div>
          <SaveBar isDirty={isDirty} isSending={isSending} submitLabel={submitLabel} onCancel={onCancel}>
            {test && (
              <Button
                icon={<ExperimentOutlined aria-hidden />}
                aria-expanded={test.isOpen}
                onClick={() => test.setOpen(!test.isOpen)}
              >
                {t('taskTest.test')}
              </Button>
            )}
          </SaveBar>
        </Form>
        {test?.isOpen && (
          <TestPanel
            test={test}
            readWorkflow={async () => {
              const values = await readValues();
              return values && toChangedWorkflow(values, test.task);
            }}
            onRefused={showErrors}
          />
        )}
      </div>
    </TemplateScope>
  );
}

function Basics({ type, isNew }: { type: TaskType; isNew: boolean }) {
  const { t } = useTranslation();
  const trigger = TRIGGERS[type];
  return (
    <Card title={t('taskForm.basics')}>
      <Form.Item
        name="name"
        label={t('common.name')}
        rules={[{ required: true, whitespace: true, message: t('common.required') }]}
      >
        <Input maxLength={120} placeholder={t('taskForm.namePlaceholder')} autoFocus={isNew} />
      </Form.Item>
      <Form.Item name="type" label={t('tasks.type')} extra={t(`taskForm.typeHints.${type}`)}>
        <Segmented<TaskType>
          aria-label={t('tasks.type')}
          options={Object.values(TRIGGERS).map(({ kind }) => ({
            value: kind,
            label: t(`tasks.types.${kind}`),
          }))}
        />
      </Form.Item>
      <trigger.Fields />
    </Card>
  );
}

/** Folded: limits and retries. */
function AdvancedCard() {
  const { t } = useTranslation();
  return (
    <section className="card">
      <div className="card-body">
        <Collapse
          ghost
          className="settings-collapse"
          items={[
            {
              key: 'advanced',
              label: t('taskForm.advanced'),
              forceRender: true,
              children: <AdvancedFields />,
            },
          ]}
        />
      </div>
    </section>
  );
}

/** A field in seconds for a value in milliseconds. */
export const inSeconds = {
  getValueProps: (ms: number | undefined) => ({ value: ms === undefined ? undefined : ms / 1_000 }),
  normalize: (seconds: number | null) => (seconds === null ? undefined : Math.round(seconds * 1_000)),
};

function AdvancedFields() {
  const { t } = useTranslation();
  const required = [{ required: true, message: t('common.required') }];
  return (
    <>
      <div className="settings-grid">
        <Form.Item name="concurrency" label={t('taskForm.concurrency')} rules={required}>
          <InputNumber min={1} max={100} precision={0} style={{ width: '100%' }} />
        </Form.Item>
        <Form.Item
          name="concurrencyKey"
          label={t('taskForm.concurrencyKey')}
          extra={t('taskForm.concurrencyKeyHint')}
          normalize={(text: string) => (text.trim() === '' ? null : text)}
        >
          <Input className="mono" maxLength={500} />
        </Form.Item>
        <Form.Item name="perKey" label={t('taskForm.perKey')} rules={required}>
          <InputNumber min={1} max={100} precision={0} style={{ width: '100%' }} />
        </Form.Item>
        <Form.Item name="timeoutMs" label={t('taskForm.timeout')} rules={required} {...inSeconds}>
          <InputNumber min={1} max={86_400} style={{ width: '100%' }} />
        </Form.Item>
        <Form.Item name={['retry', 'attempts']} label={t('taskForm.retries')} rules={required}>
          <InputNumber min={0} max={10} precision={0} style={{ width: '100%' }} />
        </Form.Item>
        <Form.Item
          name={['retry', 'backoffMs']}
          label={t('taskForm.backoff')}
          rules={required}
          {...inSeconds}
        >
          <InputNumber min={0} max={3_600} style={{ width: '100%' }} />
        </Form.Item>
      </div>
      <div className="switches">
        <Form.Item
          name={['retry', 'onInterrupted']}
          label={t('taskForm.onInterrupted')}
          extra={t('taskForm.onInterruptedHint')}
          valuePropName="checked"
        >
          <Switch />
        </Form.Item>
        <Form.Item
          name="enabled"
          label={t('tasks.enabled')}
          extra={t('taskForm.enabledHint')}
          valuePropName="checked"
        >
          <Switch />
        </Form.Item>
      </div>
    </>
  );
}
