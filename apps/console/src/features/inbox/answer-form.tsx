import type { AnswerQuestionRequest, Question } from '@platform/contracts';
import { useMutation } from '@tanstack/react-query';
import { App, Button, Form, Input } from 'antd';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { client, keys, queryClient } from '../../api.ts';
import { AskedCallView, readEdited } from '../approvals/asked-call.tsx';
import { FieldItem, toValues } from '../approvals/value-fields.tsx';
import { useFormErrors } from '../../ui/forms/use-form-errors.ts';

const MAX_NOTE = 2_000;

interface AnswerValues {
  values?: Record<string, unknown>;
  note?: string;
}

interface AnswerFormProps {
  question: Question;
  /** Called when something was entered. */
  onFilled: () => void;
}

/** The form of an answer: one input for each field, and buttons that approve and reject if that is asked. */
export function AnswerForm({ question, onFilled }: AnswerFormProps) {
  const { t } = useTranslation();
  const { message } = App.useApp();
  const [form] = Form.useForm<AnswerValues>();
  const showErrors = useFormErrors(form, ['values', 'note']);
  const [text, setText] = useState<string | null>(null);
  const { call, purpose } = question;
  const edited = call === null ? undefined : readEdited(call, text);
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
      ...(edited && approved === true && { arguments: edited }),
    });
  };
  return (
    <Form
      form={form}
      layout="vertical"
      disabled={answer.isPending}
      onValuesChange={onFilled}
      onFinish={() => void send(question.approval || undefined)}
    >
      <Need
        question={question}
        text={text}
        onText={(changed) => {
          onFilled();
          setText(changed);
        }}
      />
      {question.fields.map((field) => (
        <FieldItem key={field.key} field={field} />
      ))}
      <Form.Item name="note" label={t(purpose === 'approval' ? 'approvals.note' : 'inbox.note')}>
        <Input.TextArea autoSize={{ minRows: 2, maxRows: 8 }} maxLength={MAX_NOTE} />
      </Form.Item>
      <AnswerButtons
        question={question}
        isValid={edited !== null}
        sent={answer.isPending ? answer.variables : null}
        onReject={() => void send(false)}
      />
    </Form>
  );
}

interface AnswerButtonsProps {
  question: Question;
  isValid: boolean;
  /** What is being sent; null: nothing. */
  sent: AnswerQuestionRequest | null;
  onReject: () => void;
}

function AnswerButtons({ question: { purpose, approval }, isValid, sent, onReject }: AnswerButtonsProps) {
  const { t } = useTranslation();
  return (
    <div className="inbox-actions">
      <Button
        type="primary"
        htmlType="submit"
        disabled={!isValid}
        loading={sent !== null && sent.approved !== false}
      >
        {purpose === 'question'
          ? t(approval ? 'inbox.approve' : 'inbox.send')
          : t(`approvals.approve.${purpose}`)}
      </Button>
      {approval && (
        <Button danger loading={sent !== null && sent.approved === false} onClick={onReject}>
          {purpose === 'question' ? t('inbox.reject') : t(`approvals.reject.${purpose}`)}
        </Button>
      )}
    </div>
  );
}

interface NeedProps {
  question: Question;
  text: string | null;
  onText: (text: string | null) => void;
}

/** The call that waits, or the account that it needs. */
function Need({ question: { call, path }, text, onText }: NeedProps) {
  const { t } = useTranslation();
  return (
    <>
      {call !== null && (
        <div className="inbox-call">
          <AskedCallView call={call} text={text} onText={onText} />
        </div>
      )}
      {path !== null && (
        <p>
          <a href={path}>{t('approvals.connect')}</a>
        </p>
      )}
    </>
  );
}
