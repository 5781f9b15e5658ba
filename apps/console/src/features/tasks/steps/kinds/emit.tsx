import { SendOutlined } from '@ant-design/icons';
import type { EmitStep } from '@platform/contracts';
import { Form } from 'antd';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router';
import { paths } from '../../../../paths.ts';
import { formatJson, JsonView } from '../../../../ui/code/json-view.tsx';
import { formatEventKey, parseEventKey } from '../../../events/catalog/catalog-query.ts';
import { EventSelect } from '../../../events/catalog/event-select.tsx';
import { JsonField, parseObject } from './json-field.tsx';
import type { StepDescriptor, StepFieldsProps, StepTexts } from '../step-kind.ts';
import { TemplateField } from '../templates/template-field.tsx';

const MAX_KEY = 255;
const KEY_EXAMPLE = 'order-{{inputs.number}}';

/** The field `event` contains the application as well. */
export const emitStep: StepDescriptor<EmitStep, StepTexts<'event' | 'payload' | 'idempotencyKey'>> = {
  kind: 'emit',
  icon: <SendOutlined aria-hidden />,
  hasTurns: false,
  create: () => ({ event: undefined, payload: '{}', idempotencyKey: '' }),
  listOutputs: () => ['envelopeId', 'status'],
  toValues: (step) => ({
    event: formatEventKey(step),
    payload: formatJson(step.payload),
    idempotencyKey: step.idempotencyKey ?? '',
  }),
  toStep: (id, { event = '', payload, idempotencyKey = '' }) => ({
    id,
    kind: 'emit',
    ...parseEventKey(event),
    payload: parseObject(payload),
    ...(idempotencyKey !== '' && { idempotencyKey }),
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
        name={[index, 'event']}
        label={t('eventLog.event')}
        extra={t('steps.emitHint')}
        rules={[{ required: true, message: t('common.required') }]}
      >
        <EventSelect />
      </Form.Item>
      <JsonField name={[index, 'payload']} label={t('eventLog.payload')} />
      <Form.Item
        name={[index, 'idempotencyKey']}
        label={t('steps.idempotencyKey')}
        extra={t('steps.idempotencyKeyHint')}
      >
        <TemplateField className="mono" maxLength={MAX_KEY} placeholder={KEY_EXAMPLE} />
      </Form.Item>
    </>
  );
}

function Target({ step }: { step: EmitStep }) {
  return (
    <Link className="mono" to={`${paths.catalog}?event=${encodeURIComponent(formatEventKey(step))}`}>
      {step.event}
    </Link>
  );
}

function Content({ step }: { step: EmitStep }) {
  const { t } = useTranslation();
  return (
    <>
      <JsonView value={step.payload} label={t('eventLog.payload')} />
      {step.idempotencyKey && (
        <span className="muted">
          {t('steps.idempotencyKey')}: <span className="mono">{step.idempotencyKey}</span>
        </span>
      )}
    </>
  );
}
