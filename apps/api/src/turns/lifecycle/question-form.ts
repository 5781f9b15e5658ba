import type { QuestionField } from '@platform/contracts';
import { MAX_OPTIONS, type Question, type UserAnswer } from '../records/questions.ts';

/** As in the fields of a step of kind `ask`. */
const MAX_LABEL = 200;
const MAX_MESSAGE = 10_000;
const CHOICE = 'choice';
const OTHER = 'other';

/** What people fill in to answer the question of an agent. */
export interface QuestionForm {
  message: string;
  fields: QuestionField[];
  minValues: number;
  maxValues: number;
}

/** The question as a form: one choice, or one box for each option; and the user's own words, if they are allowed. */
export function toForm(question: Question): QuestionForm {
  const { options, kind, allowOther, otherLabel, minSelected, maxSelected } = question;
  const labels = listLabels(question);
  const boxes = options.map(({ id }, i): QuestionField => ({
    key: id,
    label: labels[i] ?? id,
    type: 'boolean',
  }));
  const choice: QuestionField = { key: CHOICE, label: 'Choice', type: 'choice', choices: labels };
  const other: QuestionField = {
    key: OTHER,
    label: shorten(otherLabel ?? 'Other', MAX_LABEL),
    type: 'text',
  };
  const chosen = kind === 'multi' ? boxes : [choice];
  return {
    message: shorten(question.question, MAX_MESSAGE),
    fields: [...(options.length === 0 ? [] : chosen), ...(allowOther ? [other] : [])],
    minValues: minSelected,
    maxValues: maxSelected,
  };
}

/** The answer that the values of the form stand for. */
export function toAnswer(question: Question, values: Readonly<Record<string, unknown>>): UserAnswer {
  const { [OTHER]: other, [CHOICE]: chosen } = values;
  const labels = listLabels(question);
  const isSelected = (id: string, i: number) =>
    question.kind === 'multi' ? values[id] === true : chosen !== undefined && labels[i] === chosen;
  return {
    selectedOptionIds: question.options.map(({ id }) => id).filter(isSelected),
    otherText: question.allowOther && typeof other === 'string' ? other : null,
  };
}

/** The reverse of `toAnswer`. */
export function toValues(
  question: Question,
  { selectedOptionIds, otherText }: UserAnswer,
): Record<string, unknown> {
  const labels = listLabels(question);
  const selected = question.options.flatMap(({ id }, i) =>
    selectedOptionIds.includes(id) ? [question.kind === 'multi' ? [id, true] : [CHOICE, labels[i]]] : [],
  );
  return Object.fromEntries([...selected, ...(otherText === null ? [] : [[OTHER, otherText]])]) as Record<
    string,
    unknown
  >;
}

/** The labels of the options, which differ from each other as choices must. */
function listLabels({ options }: Question): string[] {
  const seen = new Set<string>();
  return options.slice(0, MAX_OPTIONS).map(({ label, id }) => {
    const short = shorten(label.trim() === '' ? id : label, MAX_LABEL);
    const own = seen.has(short) ? `${shorten(label, MAX_LABEL - id.length - 3)} (${id})` : short;
    seen.add(own);
    return own;
  });
}

function shorten(text: string, limit: number): string {
  return text.length > limit ? `${text.slice(0, limit - 1).toWellFormed()}…` : text;
}
