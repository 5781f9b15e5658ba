import type { Interaction, QuestionField } from '@platform/contracts';
import { invalid } from '../../infra/errors/app-error.ts';
import { shortenText } from '../../infra/runtime/shorten-text.ts';
import { readDecision, toNeedAnswer } from './call-needs.ts';
import type { Question, UserAnswer } from './question.ts';
import { MAX_OPTIONS } from './questions.ts';

/** As in the fields of a step of kind `ask`. */
const MAX_LABEL = 200;
const MAX_MESSAGE = 10_000;
const ANY_VALUES = { minValues: 0, maxValues: 50 };
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
export function toForm(question: AskedQuestion): QuestionForm {
  const { purpose = 'question' } = question;
  // A person decides about all of what is shown.
  if (question.fields) return { message: question.question, fields: question.fields, ...ANY_VALUES };
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
    label: shortenText(otherLabel ?? 'Other', MAX_LABEL),
    type: 'text',
  };
  const chosen = kind === 'multi' ? boxes : [choice];
  return {
    message: purpose === 'question' ? shortenText(question.question, MAX_MESSAGE) : question.question,
    fields: [...(options.length === 0 ? [] : chosen), ...(allowOther ? [other] : [])],
    minValues: minSelected,
    // A rejection has a reason besides the choice.
    maxValues: purpose === 'question' ? maxSelected : 2,
  };
}

/** A question as it is stored, or as clients receive it. */
type AskedQuestion = Omit<Question, 'need'> & Partial<Pick<Interaction, 'purpose' | 'fields'>>;

/** The answer that the values of the form stand for. */
export function toAnswer(question: Question, values: Readonly<Record<string, unknown>>): UserAnswer {
  if (question.need?.kind === 'FORM')
    return toNeedAnswer(question.need, { approved: true, note: null, values });
  const { [OTHER]: other, [CHOICE]: chosen } = values;
  const labels = listLabels(question);
  const isSelected = (id: string, i: number) =>
    question.kind === 'multi' ? values[id] === true : chosen !== undefined && labels[i] === chosen;
  return {
    selectedOptionIds: question.options.map(({ id }) => id).filter(isSelected),
    otherText: question.allowOther && typeof other === 'string' && other !== '' ? other : null,
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
function listLabels({ options }: Pick<Question, 'options'>): string[] {
  const seen = new Set<string>();
  return options.slice(0, MAX_OPTIONS).map(({ label, id }) => {
    const short = shortenText(label.trim() === '' ? id : label, MAX_LABEL);
    const own = seen.has(short) ? `${shortenText(label, MAX_LABEL - id.length - 3)} (${id})` : short;
    seen.add(own);
    return own;
  });
}

/** An answer as the inbox has it. */
export interface GivenAnswer {
  values: Record<string, unknown>;
  approved: boolean | null;
  note: string | null;
  edited: Record<string, unknown> | null;
  answeredBy: string;
}

export function toGiven(question: Question, answer: UserAnswer, userId: string): GivenAnswer {
  const { need } = question;
  const { by: answeredBy = userId } = answer;
  if (need === undefined)
    return { values: toValues(question, answer), approved: null, note: null, edited: null, answeredBy };
  const decision = readDecision(need, answer);
  if (typeof decision === 'string') throw invalid(decision);
  const { approved, note, arguments: edited = null, values = {} } = decision;
  return { values, approved, note, edited, answeredBy };
}

/** The reverse of `toGiven`. */
export function fromGiven(question: Question, given: GivenAnswer): UserAnswer {
  const { need } = question;
  const { values, approved, note, edited, answeredBy: by } = given;
  if (need === undefined) return toAnswer(question, values);
  const decision = { approved: approved === true, note, by, values };
  return toNeedAnswer(need, edited === null ? decision : { ...decision, arguments: edited });
}
