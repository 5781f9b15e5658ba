import { QuestionCircleOutlined } from '@ant-design/icons';
import type { AskStep, QuestionRecipients } from '@platform/contracts';
import { Form, Select, Switch } from 'antd';
import { useTranslation } from 'react-i18next';
import { PersonSelect } from '../../../members/person-select.tsx';
import type { StepDescriptor, StepFieldsProps } from '../step-kind.ts';
import { TemplateField } from '../templates/template-field.tsx';
import { QuestionFields, type FieldForm } from './question-fields.tsx';
import { DurationField } from './time-fields.tsx';
import { useDurationText } from './use-duration-text.ts';

interface Asking {
  message: string;
  to?: 'owner' | 'admins' | 'people' | undefined;
  userIds?: string[] | undefined;
  approval?: boolean | null | undefined;
  fields: FieldForm[];
}

const RECIPIENTS = ['owner', 'admins', 'people'] as const;
const MAX_MESSAGE = 10_000;
const MAX_PEOPLE = 50;

export const askStep: StepDescriptor<AskStep, Asking> = {
  kind: 'ask',
  icon: <QuestionCircleOutlined aria-hidden />,
  hasTurns: false,
  hasOwnTimeout: true,
  create: () => ({ message: '', approval: true, fields: [] }),
  listOutputs: ({ fields = [] }) => [
    'approved',
    ...fields.map(({ key }) => `values.${key}`),
    'answeredBy',
    'answeredAt',
    'note',
    'timedOut',
  ],
  toValues: ({ message, to, approval, fields }) => ({
    message,
    ...toRecipients(to),
    approval,
    fields: (fields ?? []).map(({ choices, ...field }) => ({ ...field, choices: choices ?? [] })),
  }),
  toStep: (id, { message = '', to, userIds = [], approval, fields = [] }) => ({
    id,
    kind: 'ask',
    message,
    ...(to !== undefined && { to: to === 'people' ? { userIds } : to }),
    ...(approval != null && { approval }),
    ...(fields.length > 0 && { fields: fields.map(toField) }),
  }),
  Fields,
  Target,
  Content,
};

function toRecipients(to: QuestionRecipients | null | undefined): Pick<Asking, 'to' | 'userIds'> {
  return typeof to === 'object' && to !== null
    ? { to: 'people', userIds: to.userIds }
    : { to: to ?? undefined, userIds: [] };
}

/** Only fields with choices have some. */
function toField({ choices, ...field }: FieldForm): NonNullable<AskStep['fields']>[number] {
  return field.type === 'choice' ? { ...field, choices } : field;
}

function Fields({ index, path }: StepFieldsProps) {
  const { t } = useTranslation();
  return (
    <>
      <Form.Item
        name={[index, 'message']}
        label={t('steps.ask.message')}
        extra={t('steps.ask.messageHint')}
        rules={[{ required: true, whitespace: true, message: t('common.required') }]}
      >
        <TemplateField rows={{ minRows: 2, maxRows: 12 }} maxLength={MAX_MESSAGE} />
      </Form.Item>
      <Recipients index={index} path={path} />
      <div className="form-pair">
        <Form.Item
          name={[index, 'approval']}
          label={t('steps.ask.approval')}
          extra={t('steps.ask.approvalHint')}
          valuePropName="checked"
        >
          <Switch />
        </Form.Item>
        <Form.Item
          name={[index, 'timeoutMs']}
          label={t('steps.ask.timeout')}
          extra={t('steps.ask.timeoutHint')}
        >
          <DurationField />
        </Form.Item>
      </div>
      <QuestionFields index={index} path={path} />
    </>
  );
}

function Recipients({ index, path }: Pick<StepFieldsProps, 'index' | 'path'>) {
  const { t } = useTranslation();
  const form = Form.useFormInstance();
  const to = Form.useWatch<Asking['to']>([...path, 'to'], form);
  return (
    <div className="form-pair">
      <Form.Item
        name={[index, 'to']}
        label={t('steps.ask.to')}
        getValueProps={(value: Asking['to']) => ({ value: value ?? 'owner' })}
      >
        <Select options={RECIPIENTS.map((value) => ({ value, label: t(`steps.ask.recipients.${value}`) }))} />
      </Form.Item>
      {to === 'people' && (
        <Form.Item
          name={[index, 'userIds']}
          label={t('access.people')}
          rules={[
            { required: true, type: 'array', min: 1, max: MAX_PEOPLE, message: t('steps.ask.peopleRule') },
          ]}
        >
          <PersonSelect multiple />
        </Form.Item>
      )}
    </div>
  );
}

function Target({ step: { to } }: { step: AskStep }) {
  const { t } = useTranslation();
  return <span className="muted">{t(`steps.ask.recipients.${toRecipients(to).to ?? 'owner'}`)}</span>;
}

function Content({ step: { message, fields, approval, timeoutMs } }: { step: AskStep }) {
  const { t } = useTranslation();
  const formatDuration = useDurationText();
  return (
    <>
      <p className="pre-line">{message}</p>
      {approval && <span className="muted">{t('steps.ask.approval')}</span>}
      {(fields ?? []).map(({ key, label, type, required }) => (
        <span key={key}>
          <code>{key}</code> {label} ·{' '}
          <span className="muted">
            {t(`steps.ask.types.${type}`)}
            {required && ` · ${t('common.required')}`}
          </span>
        </span>
      ))}
      {timeoutMs != null && (
        <span className="muted">
          {t('steps.ask.timeout')}: {formatDuration(timeoutMs)}
        </span>
      )}
    </>
  );
}
