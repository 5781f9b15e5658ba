import { Form, Input, InputNumber, Select, Tag } from 'antd';
import { useTranslation } from 'react-i18next';
import { DurationField } from './kinds/time-fields.tsx';
import { useDurationText } from './kinds/use-duration-text.ts';
import type { Path, StepOptions } from './step-kind.ts';
import { TemplateField } from './templates/template-field.tsx';

const CONDITION_EXAMPLE = 'steps.load.output.total > 100';
const MAX_NAME = 200;
const MAX_RETRIES = 10;

interface StepOptionsFieldsProps {
  index: number;
  hasOwnTimeout: boolean;
}

/** Folded: the fields of every step. */
export function StepOptionsFields({ index, hasOwnTimeout }: StepOptionsFieldsProps) {
  const { t } = useTranslation();
  return (
    <details className="step-options">
      <summary>{t('steps.options')}</summary>
      <Form.Item name={[index, 'name']} label={t('steps.name')} extra={t('steps.nameHint')}>
        <Input maxLength={MAX_NAME} />
      </Form.Item>
      <Form.Item name={[index, 'when']} label={t('steps.when')} extra={t('steps.whenHint')}>
        <TemplateField isExpression className="mono" placeholder={CONDITION_EXAMPLE} />
      </Form.Item>
      <div className="form-pair">
        <Form.Item name={[index, 'retry', 'attempts']} label={t('steps.retries')}>
          <InputNumber min={0} max={MAX_RETRIES} precision={0} placeholder="0" style={{ width: '100%' }} />
        </Form.Item>
        <Form.Item name={[index, 'retry', 'backoffMs']} label={t('steps.backoff')}>
          <DurationField />
        </Form.Item>
        {!hasOwnTimeout && (
          <Form.Item name={[index, 'timeoutMs']} label={t('steps.timeout')}>
            <DurationField />
          </Form.Item>
        )}
        <Form.Item
          name={[index, 'onError']}
          label={t('steps.onError')}
          getValueProps={(value: StepOptions['onError']) => ({ value: value ?? 'fail' })}
        >
          <Select
            options={(['fail', 'continue'] as const).map((value) => ({
              value,
              label: t(`steps.onErrors.${value}`),
            }))}
          />
        </Form.Item>
      </div>
    </details>
  );
}

/** What the options of a step are, if it has some. */
export function OptionsSummary({ path }: { path: Path }) {
  const { t } = useTranslation();
  const formatDuration = useDurationText();
  const name = useOption(path, 'name');
  const when = useOption(path, 'when');
  const retries = useOption(path, 'retry')?.attempts;
  const timeoutMs = useOption(path, 'timeoutMs');
  const onError = useOption(path, 'onError');
  return (
    <span className="row wrap step-summary">
      {name && <span className="truncate">{name}</span>}
      {when && (
        <Tag className="mono truncate" title={when}>
          {t('steps.ifTag', { when })}
        </Tag>
      )}
      {retries != null && retries > 0 && <Tag>{t('steps.retryTag', { count: retries })}</Tag>}
      {timeoutMs != null && <Tag>{t('steps.timeoutTag', { duration: formatDuration(timeoutMs) })}</Tag>}
      {onError === 'continue' && <Tag>{t('steps.continueTag')}</Tag>}
    </span>
  );
}

function useOption<Name extends keyof StepOptions>(path: Path, name: Name): StepOptions[Name] {
  const form = Form.useFormInstance();
  return Form.useWatch<StepOptions[Name]>([...path, name], { form, preserve: true });
}
