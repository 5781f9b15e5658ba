import type { AnswerQuestionRequest, Question, QuestionField } from '@platform/contracts';
import { useMutation } from '@tanstack/react-query';
import { App, Button, Checkbox, Form, Input, InputNumber, Select } from 'antd';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { client, keys, queryClient } from '../../api.ts';
import { useFormErrors } from '../../ui/forms/use-form-errors.ts';

const MAX_NOTE = 2_000;

interface AnswerValues {
  values?: Record<string, unknown>;
  note?: string;
}

/** The form of an answer: one input for each field, and buttons that approve and reject if that is asked. */
export function AnswerForm({ question }: { question: Question }) {
  const { t } = useTranslation();
  const { message } = App.useApp();
  const [form] = Form.useForm<AnswerValues>();
  const showErrors = useFormErrors(form, ['values', 'note']);
  const answer = useMutation({
    mutationFn: (request: AnswerQuestionRequest) => client.inbox.answer(question.id, request),
    onSuccess: (answered) => {
      queryClient.setQueryData(keys.question(question.id), answered);
      void queryClient.invalidateQueries({ queryKey: keys.inbox });
      void queryClient.invalidateQueries({ queryKey: keys.runs });
      void message.success(t('inbox.sent'));
    },
    onError: (error) => {
      showErrors(error);
      // Somebody else may have answered.
      void queryClient.invalidateQueries({ queryKey: keys.inbox });
    },
  });
  const send = async (approved?: boolean) => {
    if (approved === false)
      form.setFields(question.fields.map(({ key }) => ({ name: ['values', key], errors: [] })));
    else if (
      !(await form.validateFields().then(
        () => true,
        () => false,
      ))
    )
      return;
    const { values = {}, note } = form.getFieldsValue();
    answer.mutate({
      values: toValues(question.fields, values),
      ...(approved !== undefined && { approved }),
      ...(note && { note }),
    });
  };
  return (
    <Form
      form={form}
      layout="vertical"
      disabled={answer.isPending}
      onFinish={() => void send(question.approval || undefined)}
    >
      {question.fields.map((field) => (
        <FieldItem key={field.key} field={field} />
      ))}
      <Form.Item name="note" label={t('inbox.note')}>
        <Input.TextArea autoSize={{ minRows: 2, maxRows: 8 }} maxLength={MAX_NOTE} />
      </Form.Item>
      <div className="inbox-actions">
        <Button
          type="primary"
          htmlType="submit"
          loading={answer.isPending && answer.variables.approved !== false}
        >
          {t(question.approval ? 'inbox.approve' : 'inbox.send')}
        </Button>
        {question.approval && (
          <Button
            danger
            loading={answer.isPending && answer.variables.approved === false}
            onClick={() => void send(false)}
          >
            {t('inbox.reject')}
          </Button>
        )}
      </div>
    </Form>
  );
}

function FieldItem({ field: { key, label, type, choices, required } }: { field: QuestionField }) {
  const { t } = useTranslation();
  const rules = required ? [{ required: true, message: t('common.required') }] : [];
  const name = ['values', key];
  if (type === 'boolean')
    return (
      <Form.Item name={name} valuePropName="checked" initialValue={required ? false : undefined}>
        <Checkbox>{label}</Checkbox>
      </Form.Item>
    );
  return (
    <Form.Item name={name} label={label} rules={rules}>
      {INPUTS[type](choices ?? [])}
    </Form.Item>
  );
}

const INPUTS: Record<Exclude<QuestionField['type'], 'boolean'>, (choices: string[]) => ReactNode> = {
  text: () => <Input.TextArea autoSize={{ minRows: 1, maxRows: 8 }} />,
  number: () => <InputNumber className="inbox-number" />,
  date: () => <Input type="date" />,
  choice: (choices) => <Select allowClear options={choices.map((value) => ({ value, label: value }))} />,
};

/** The values that were entered: an input that was left empty gives none. */
function toValues(
  fields: readonly QuestionField[],
  entered: Record<string, unknown>,
): Record<string, unknown> {
  const given = fields.flatMap(({ key }): [string, unknown][] => {
    const value = Object.hasOwn(entered, key) ? entered[key] : undefined;
    return value === undefined || value === null || value === '' ? [] : [[key, value]];
  });
  return Object.fromEntries(given);
}
