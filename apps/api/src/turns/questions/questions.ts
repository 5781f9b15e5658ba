import type { Interaction, InteractionOption } from '@platform/contracts';
import { canonicalJson } from '../../infra/runtime/json.ts';
import { maskProblem } from '../../tasks/inbox/hidden-values.ts';
import { describePurpose, readDecision } from './call-needs.ts';
import type { Question, UserAnswer } from './question.ts';

/** The most options of one question. */
export const MAX_OPTIONS = 50;

/** A frame holds it whole: in one that is too large, options would be left out. */
const MAX_QUESTION_BYTES = 24 * 1024;

/** Parses what the model wrote. Returns a sentence for the model if it is not a valid question. */
export function parseQuestion(input: Record<string, unknown>): Question | string {
  const { question, options, multiple, allowOther } = input;
  if (typeof question !== 'string' || question.trim() === '')
    return 'question must be a text that is not empty';
  if (!Array.isArray(options) || options.length > MAX_OPTIONS)
    return `options must be a list of at most ${MAX_OPTIONS}`;
  const read = options.map((option, i) => parseOption(option, i));
  if (read.some((option) => option === null)) return 'Each option must be an object with a label';
  if (read.length === 0 && allowOther !== true) return 'options must not be empty unless allowOther is true';
  const multi = multiple === true;
  const asked: Question = {
    kind: multi ? 'multi' : 'single',
    question,
    options: read.filter((option) => option !== null),
    allowOther: allowOther === true,
    minSelected: 1,
    maxSelected: multi ? Math.max(1, read.length + (allowOther === true ? 1 : 0)) : 1,
  };
  return Buffer.byteLength(JSON.stringify(asked)) <= MAX_QUESTION_BYTES
    ? asked
    : `question and options must have at most ${MAX_QUESTION_BYTES} bytes together`;
}

function parseOption(option: unknown, i: number): InteractionOption | null {
  if (typeof option === 'string') return { id: `option_${i + 1}`, label: option };
  const { label, description } = (option ?? {}) as { label?: unknown; description?: unknown };
  if (typeof label !== 'string') return null;
  return { id: `option_${i + 1}`, label, ...(typeof description === 'string' && { description }) };
}

/** Returns what is wrong with a response of the user, or null. The custom text counts as one choice. */
export function answerProblem(question: Question, answer: UserAnswer): string | null {
  if (question.need !== undefined) {
    const { need } = question;
    const decision = readDecision(need, answer);
    if (typeof decision === 'string') return decision;
    if (need.kind !== 'APPROVAL' || decision.arguments === undefined) return null;
    return maskProblem(decision.arguments, need.call.arguments);
  }
  const { selectedOptionIds, otherText } = answer;
  if (answer.arguments !== undefined || answer.values !== undefined)
    return 'arguments and values are not allowed for this question';
  const unknown = selectedOptionIds.filter((id) => !question.options.some((option) => option.id === id));
  if (unknown.length > 0) {
    return `selectedOptionIds must be ids of the question's options, not ${unknown.join(', ')}`;
  }
  if (new Set(selectedOptionIds).size < selectedOptionIds.length)
    return 'selectedOptionIds must not repeat an option';
  if (otherText !== null && !question.allowOther) return 'otherText is not allowed for this question';
  if (otherText?.trim() === '') return 'otherText must not be empty';
  const chosen = selectedOptionIds.length + (otherText === null ? 0 : 1);
  if (chosen < question.minSelected || chosen > question.maxSelected) {
    return `Between ${question.minSelected} and ${question.maxSelected} answers are wanted, not ${chosen}`;
  }
  return null;
}

/** Whether two responses are equal. The order of the choices does not matter. */
export function sameAnswer(a: UserAnswer, b: UserAnswer): boolean {
  const ids = (answer: UserAnswer) => [...answer.selectedOptionIds].sort().join('\n');
  const rest = ({ arguments: edited, values, by }: UserAnswer) => canonicalJson([edited, values, by]);
  return a.otherText === b.otherText && ids(a) === ids(b) && rest(a) === rest(b);
}

/** The response as the model receives it. */
export function answerText(question: Question, { selectedOptionIds, otherText }: UserAnswer): string {
  const selected = question.options
    .filter(({ id }) => selectedOptionIds.includes(id))
    .map(({ label }) => label);
  return JSON.stringify({ selected, ...(otherText !== null && { other: otherText }) });
}

/** The interaction in the form of the API. */
export function toInteraction(
  row: { id: string; question: Question; createdAt: Date; expiresAt: Date },
  turn: { turnId: string; sessionId: string },
): Interaction {
  const { kind, question, options, allowOther, otherLabel, minSelected, maxSelected, need } = row.question;
  return {
    interactionId: row.id,
    turnId: turn.turnId,
    sessionId: turn.sessionId,
    kind,
    ...describePurpose(need),
    question,
    options,
    allowOther,
    ...(otherLabel !== undefined && { otherLabel }),
    minSelected,
    maxSelected,
    createdAt: row.createdAt.toISOString(),
    expiresAt: row.expiresAt.toISOString(),
  };
}
