import type { AnswerQuestionRequest, Question, QuestionField } from '@platform/contracts';
import type { QuestionForm } from '../../turns/questions/question-form.ts';

/** The question of a run as a form. One that asks for approval has two fields more. */
export function formOf(question: Question): QuestionForm {
  const { message, fields } = question;
  return {
    message,
    fields: [...approvalFields(question), ...fields],
    minValues: 0,
    maxValues: fields.length,
  };
}

/** The answer that the values of the form stand for. */
export function readForm(
  question: Question,
  values: Readonly<Record<string, unknown>>,
): AnswerQuestionRequest {
  const [approve, remark] = approvalFields(question);
  if (approve === undefined || remark === undefined) return { values: { ...values } };
  const { [approve.key]: approved, [remark.key]: note, ...others } = values;
  return {
    values: others,
    ...(typeof approved === 'boolean' && { approved }),
    ...(typeof note === 'string' && note !== '' && { note }),
  };
}

function approvalFields({ approval, fields }: Question): QuestionField[] {
  if (!approval) return [];
  return [
    { key: freeKey('approved', fields), label: 'Approve', type: 'boolean', required: true },
    { key: freeKey('note', fields), label: 'Note', type: 'text' },
  ];
}

function freeKey(key: string, fields: readonly QuestionField[]): string {
  return fields.some((field) => field.key === key) ? freeKey(`_${key}`, fields) : key;
}
