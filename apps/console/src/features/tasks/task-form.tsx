import type { TaskType } from '@platform/contracts';
import { Collapse, Form, Input, InputNumber, Segmented, Switch } from 'antd';
import { useTranslation } from 'react-i18next';
import { Card } from '../../ui/layout/card.tsx';
import { SaveBar } from '../../ui/forms/save-bar.tsx';
import { usePageForm } from '../../ui/forms/use-page-form.ts';
import { StepsField } from './steps/steps-field.tsx';
import { findTaskField, type TaskForm } from './task.ts';
import { TRIGGERS } from './triggers/triggers.ts';
import './tasks.css';

interface TaskFormCardsProps {
  initial: TaskForm;
  submitLabel: string;
  /** Whether the current values are saved. */
  saved?: boolean;
  onSubmit: (values: TaskForm) => Promise<unknown>;
  onCancel: () => void;
}

/** The form for all fields of a task. Ctrl+S or Cmd+S saves it. */
export function TaskFormCards({
  initial,
  submitLabel,
  saved = false,
  onSubmit,
  onCancel,
}: TaskFormCardsProps) {
  const { t } = useTranslation();
  const { form, formProps, isDirty, isSending } = usePageForm({
    initial,
    fields: findTaskField,
    saved,
    onSubmit,
  });
  const type = Form.useWatch<TaskType | undefined>('type', form) ?? initial.type;
  const trigger = TRIGGERS[type];

  return (
    <Form<TaskForm> {...formProps}>
      <div className="stack-cards">
        <Card title={t('taskForm.basics')}>
          <Form.Item
            name="name"
            label={t('common.name')}
            rules={[{ required: true, whitespace: true, message: t('common.required') }]}
          >
            <Input
              maxLength={120}
              placeholder={t('taskForm.namePlaceholder')}
              autoFocus={initial.name === ''}
            />
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
        <Card title={t('taskForm.steps')} text={t('taskForm.stepsText')}>
          <StepsField />
        </Card>
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
      </div>
      <SaveBar isDirty={isDirty} isSending={isSending} submitLabel={submitLabel} onCancel={onCancel} />
    </Form>
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
