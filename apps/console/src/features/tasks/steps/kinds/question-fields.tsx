import { DeleteOutlined, PlusOutlined } from '@ant-design/icons';
import type { QuestionFieldType } from '@platform/contracts';
import { Button, Checkbox, Form, Input, Select } from 'antd';
import { useTranslation } from 'react-i18next';
import type { StepFieldsProps } from '../step-kind.ts';

export interface FieldForm {
  key: string;
  label: string;
  type: QuestionFieldType;
  required?: boolean | null;
  choices: string[];
}

const TYPES: readonly QuestionFieldType[] = ['text', 'number', 'boolean', 'choice', 'date'];
const MAX_FIELDS = 50;
const KEY = /^[A-Za-z_][A-Za-z0-9_]{0,63}$/;

type PlaceProps = Pick<StepFieldsProps, 'index' | 'path'>;

/** What the people enter who answer a question. */
export function QuestionFields({ index, path }: PlaceProps) {
  const { t } = useTranslation();
  return (
    <section aria-label={t('steps.ask.fields')}>
      <h3>{t('steps.ask.fields')}</h3>
      <Form.List name={[index, 'fields']}>
        {(fields, { add, remove }) => (
          <>
            {fields.length === 0 && <p className="muted">{t('steps.ask.noFields')}</p>}
            {fields.map(({ key, name }) => (
              <QuestionField
                key={key}
                index={name}
                path={[...path, 'fields', name]}
                onRemove={() => remove(name)}
              />
            ))}
            <Button
              size="small"
              className="branch-add"
              icon={<PlusOutlined aria-hidden />}
              disabled={fields.length >= MAX_FIELDS}
              onClick={() => add({ key: `field${fields.length + 1}`, label: '', type: 'text', choices: [] })}
            >
              {t('steps.ask.addField')}
            </Button>
          </>
        )}
      </Form.List>
    </section>
  );
}

function QuestionField({ index, path, onRemove }: PlaceProps & { onRemove: () => void }) {
  const { t } = useTranslation();
  const form = Form.useFormInstance();
  const type = Form.useWatch<QuestionFieldType | undefined>([...path, 'type'], form);
  const of = { number: index + 1 };
  return (
    <div role="group" className="question-field" aria-label={t('steps.ask.field', of)}>
      <Form.Item
        name={[index, 'key']}
        label={t('steps.ask.key')}
        rules={[{ required: true, pattern: KEY, message: t('steps.idRule') }]}
      >
        <Input className="mono" maxLength={64} />
      </Form.Item>
      <Form.Item
        name={[index, 'label']}
        label={t('steps.ask.label')}
        rules={[{ required: true, whitespace: true, message: t('common.required') }]}
      >
        <Input maxLength={200} />
      </Form.Item>
      <Form.Item name={[index, 'type']} label={t('steps.ask.type')}>
        <Select options={TYPES.map((value) => ({ value, label: t(`steps.ask.types.${value}`) }))} />
      </Form.Item>
      <Form.Item name={[index, 'required']} valuePropName="checked" label={t('steps.ask.required')}>
        <Checkbox aria-label={t('steps.ask.requiredOf', of)} />
      </Form.Item>
      <Button
        type="text"
        icon={<DeleteOutlined aria-hidden />}
        aria-label={t('steps.ask.removeField', of)}
        onClick={onRemove}
      />
      {type === 'choice' && (
        <Form.Item
          name={[index, 'choices']}
          label={t('steps.ask.choices')}
          className="question-choices"
          rules={[{ required: true, type: 'array', min: 1, message: t('common.required') }]}
        >
          <Select mode="tags" open={false} suffix={null} placeholder={t('steps.ask.choicesPlaceholder')} />
        </Form.Item>
      )}
    </div>
  );
}
