import { ArrowDownOutlined, ArrowUpOutlined, DeleteOutlined } from '@ant-design/icons';
import type { StepKind, TaskType } from '@platform/contracts';
import { Button, Form, Input } from 'antd';
import { useTranslation } from 'react-i18next';
import { parseJsonObject } from '../../../ui/code/parse-json.ts';
import { createStep, type StepForm } from '../task.ts';
import { STEP_KINDS } from './step-kinds.ts';

const OPTIONS_EXAMPLE = '{ "when": "inputs.amount > 100", "retry": { "attempts": 2 } }';

/** The steps of a workflow: add, remove, reorder, and edit them. */
export function StepsField() {
  const { t } = useTranslation();
  const form = Form.useFormInstance();
  return (
    <Form.List
      name={['workflow', 'steps']}
      rules={[
        {
          validator: (_, steps: StepForm[]) =>
            steps.length > 0 ? Promise.resolve() : Promise.reject(new Error(t('steps.none'))),
        },
      ]}
    >
      {(steps, { add, remove, move }, { errors }) => {
        const current = () => form.getFieldValue(['workflow', 'steps']) as StepForm[];
        return (
          <div className="stack">
            <ol className="steps">
              {steps.map(({ key, name: index }) => (
                <li key={key}>
                  <StepCard
                    index={index}
                    isLast={index === steps.length - 1}
                    onMove={(by) => move(index, index + by)}
                    onRemove={() => remove(index)}
                  />
                </li>
              ))}
            </ol>
            <Form.ErrorList errors={errors} />
            <div className="row wrap" role="group" aria-label={t('steps.add')}>
              {Object.values(STEP_KINDS).map(({ kind, icon }) => (
                <Button
                  key={kind}
                  size="small"
                  icon={icon}
                  onClick={() => add(createStep(kind, current(), form.getFieldValue('type') as TaskType))}
                >
                  {t(`steps.addKinds.${kind}`)}
                </Button>
              ))}
            </div>
          </div>
        );
      }}
    </Form.List>
  );
}

interface StepCardProps {
  index: number;
  isLast: boolean;
  onMove: (by: 1 | -1) => void;
  onRemove: () => void;
}

function StepCard({ index, isLast, onMove, onRemove }: StepCardProps) {
  const { t } = useTranslation();
  const form = Form.useFormInstance();
  const path = ['workflow', 'steps', index] as const;
  const kind = STEP_KINDS[form.getFieldValue([...path, 'kind']) as StepKind];
  const number = index + 1;
  return (
    <fieldset className="step-card">
      <legend className="visually-hidden">{t('steps.number', { number })}</legend>
      <header className="row">
        <span className="step-kind">
          {kind.icon} {t(`stepKinds.${kind.kind}`)}
        </span>
        <span className="grow" />
        <Button
          type="text"
          size="small"
          icon={<ArrowUpOutlined aria-hidden />}
          aria-label={t('steps.moveUp', { number })}
          disabled={index === 0}
          onClick={() => onMove(-1)}
        />
        <Button
          type="text"
          size="small"
          icon={<ArrowDownOutlined aria-hidden />}
          aria-label={t('steps.moveDown', { number })}
          disabled={isLast}
          onClick={() => onMove(1)}
        />
        <Button
          type="text"
          size="small"
          danger
          icon={<DeleteOutlined aria-hidden />}
          aria-label={t('steps.remove', { number })}
          onClick={onRemove}
        />
      </header>
      <IdField index={index} />
      <kind.Fields index={index} />
      <OptionsField index={index} />
    </fieldset>
  );
}

/** The fields of every step: its condition, retries, time limit, and what follows a failure. */
function OptionsField({ index }: { index: number }) {
  const { t } = useTranslation();
  return (
    <Form.Item
      name={[index, 'options']}
      label={t('steps.options')}
      extra={t('steps.optionsHint')}
      rules={[
        {
          validator: (_, text: string | undefined) =>
            (text ?? '').trim() === '' || parseJsonObject(text ?? '') !== undefined
              ? Promise.resolve()
              : Promise.reject(new Error(t('emission.notAnObject'))),
        },
      ]}
    >
      <Input.TextArea className="mono" autoSize={{ minRows: 1, maxRows: 8 }} placeholder={OPTIONS_EXAMPLE} />
    </Form.Item>
  );
}

/** The name under which later steps refer to the output. */
function IdField({ index }: { index: number }) {
  const { t } = useTranslation();
  const form = Form.useFormInstance();
  return (
    <Form.Item
      name={[index, 'id']}
      label={t('steps.id')}
      tooltip={t('steps.idHint')}
      rules={[
        { required: true, message: t('common.required') },
        { pattern: /^[A-Za-z_][A-Za-z0-9_]{0,63}$/, message: t('steps.idRule') },
        {
          validator: (_, id: string) => {
            const steps = form.getFieldValue(['workflow', 'steps']) as StepForm[];
            const isRepeated = steps.some((step, i) => i < index && step.id === id);
            return isRepeated ? Promise.reject(new Error(t('steps.idRepeated'))) : Promise.resolve();
          },
        },
      ]}
    >
      <Input className="mono" maxLength={64} />
    </Form.Item>
  );
}
