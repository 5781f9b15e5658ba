import {
  ArrowDownOutlined,
  ArrowUpOutlined,
  CopyOutlined,
  DeleteOutlined,
  FileTextOutlined,
  FormOutlined,
} from '@ant-design/icons';
import { App, Button, Form, Input } from 'antd';
import { useTranslation } from 'react-i18next';
import { JsonField } from './kinds/json-field.tsx';
import { formatStep, listSteps, parseStep } from './step-forms.ts';
import { STEP_KINDS } from './step-kinds.ts';
import type { Path, StepFieldsProps, StepForm } from './step-kind.ts';
import { OptionsSummary, StepOptionsFields } from './step-options.tsx';
import { StepPlace } from './templates/template-context.ts';

interface StepCardProps extends StepFieldsProps {
  isLast: boolean;
  onMove: (by: 1 | -1) => void;
  onCopy: () => void;
  onRemove: () => void;
}

/** One step, with those inside of it. */
export function StepCard({ isLast, onMove, onCopy, onRemove, ...place }: StepCardProps) {
  const { t } = useTranslation();
  const { index, path, number } = place;
  const form = Form.useFormInstance();
  const json = Form.useWatch<string | undefined>([...path, 'json'], { form, preserve: true });
  const kind = STEP_KINDS[(form.getFieldValue([...path]) as StepForm).kind];
  return (
    <StepPlace value={path}>
      <fieldset className="step-card" tabIndex={-1}>
        <legend className="visually-hidden">{t('steps.number', { number })}</legend>
        <header className="row">
          <span className="step-kind">
            {kind.icon} {t(`stepKinds.${kind.kind}`)}
          </span>
          <OptionsSummary path={path} />
          <span className="grow" />
          <span className="step-actions">
            <CardButton name="moveUp" number={number} isDisabled={index === 0} onClick={() => onMove(-1)} />
            <CardButton name="moveDown" number={number} isDisabled={isLast} onClick={() => onMove(1)} />
            <CardButton name="copy" number={number} onClick={onCopy} />
            <JsonButton path={path} number={number} isJson={json !== undefined} />
            <CardButton name="remove" number={number} onClick={onRemove} />
          </span>
        </header>
        <IdField index={index} path={path} />
        {json === undefined ? (
          <>
            <kind.Fields {...place} />
            <StepOptionsFields index={index} hasOwnTimeout={kind.hasOwnTimeout === true} />
          </>
        ) : (
          <JsonField name={[index, 'json']} label={t('steps.fields')} />
        )}
      </fieldset>
    </StepPlace>
  );
}

const ICONS = {
  moveUp: <ArrowUpOutlined aria-hidden />,
  moveDown: <ArrowDownOutlined aria-hidden />,
  copy: <CopyOutlined aria-hidden />,
  remove: <DeleteOutlined aria-hidden />,
  editJson: <FileTextOutlined aria-hidden />,
  editForm: <FormOutlined aria-hidden />,
};

interface CardButtonProps {
  name: keyof typeof ICONS;
  number: string;
  isDisabled?: boolean;
  onClick: () => void;
}

function CardButton({ name, number, isDisabled = false, onClick }: CardButtonProps) {
  const { t } = useTranslation();
  const label = t(`steps.${name}`, { number });
  return (
    <Button
      type="text"
      size="small"
      danger={name === 'remove'}
      icon={ICONS[name]}
      aria-label={label}
      title={label}
      disabled={isDisabled}
      onClick={onClick}
    />
  );
}

/** Switches between the form of the step and its JSON. */
function JsonButton({ path, number, isJson }: { path: Path; number: string; isJson: boolean }) {
  const { t } = useTranslation();
  const { message } = App.useApp();
  const form = Form.useFormInstance();
  const change = () => {
    const step = form.getFieldValue([...path]) as StepForm;
    const next = isJson ? parseStep(step) : { id: step.id, kind: step.kind, json: formatStep(step) };
    if (next === undefined) void message.error(t('steps.jsonDoesNotFit'));
    else form.setFieldValue([...path], next);
  };
  return <CardButton name={isJson ? 'editForm' : 'editJson'} number={number} onClick={change} />;
}

/** The name under which later steps refer to the output. */
function IdField({ index, path }: { index: number; path: Path }) {
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
            const steps = listSteps(form.getFieldValue(['workflow', 'steps']) as StepForm[]);
            const first = steps.find(({ step }) => step.id === id);
            const isRepeated = first !== undefined && first.path.join('.') !== path.join('.');
            return isRepeated ? Promise.reject(new Error(t('steps.idRepeated'))) : Promise.resolve();
          },
        },
      ]}
    >
      <Input className="mono" maxLength={64} />
    </Form.Item>
  );
}
