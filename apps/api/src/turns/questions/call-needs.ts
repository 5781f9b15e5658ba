import type { AskedCall, QuestionField, QuestionPurpose } from '@platform/contracts';
import { isObject, parseJson, type JsonObject } from '../../infra/runtime/json.ts';
import { readValues } from '../../tasks/inbox/question-fields.ts';
import type { CallNeed } from '../../tools/calls/call-pause.ts';
import type { Question, UserAnswer } from './question.ts';

/** The ids of the options, whatever a call needs. */
const APPROVE = 'approve';
const REJECT = 'reject';

const LABELS: Record<CallNeed['kind'], [string, string]> = {
  APPROVAL: ['Approve', 'Reject'],
  CONNECTION: ['I have connected the account', 'Go on without it'],
  FORM: ['Send', 'Decline'],
};

/** In a frame that is too large, arguments would be left out. Twice those that can be approved always fit. */
const MAX_SHOWN_BYTES = 18 * 1024;

/** What a person has decided about a call. */
export interface CallDecision {
  approved: boolean;
  /** Why it was rejected. */
  note: string | null;
  /** The arguments in place of those that were shown. */
  arguments?: JsonObject;
  /** What was entered into a form. */
  values?: JsonObject;
  by: string;
}

/** What a person decided about a need of a call. */
export interface DecidedNeed {
  need: CallNeed;
  decision: CallDecision;
}

/** What a call needs, as a question that every client can show. */
export function toNeedQuestion(need: CallNeed): Question {
  const [approve, reject] = LABELS[need.kind];
  return {
    kind: 'single',
    question: describeNeed(need),
    options: [
      { id: APPROVE, label: approve },
      { id: REJECT, label: reject },
    ],
    allowOther: need.kind !== 'CONNECTION',
    ...(need.kind !== 'CONNECTION' && { otherLabel: otherLabel(need) }),
    minSelected: 1,
    maxSelected: 1,
    need,
  };
}

function describeNeed(need: CallNeed): string {
  switch (need.kind) {
    case 'APPROVAL':
      return `${need.message}\n${formatShown(need.call.arguments)}`;
    case 'CONNECTION':
      return `${need.message}\n${need.path}`;
    case 'FORM':
      return need.message;
  }
}

/** Indented, unless that makes it much longer. */
function formatShown(shown: JsonObject): string {
  const compact = JSON.stringify(shown);
  const indented = JSON.stringify(shown, null, 2);
  const isLong = indented.length > 2 * compact.length + 100 || bytesOf(indented) > MAX_SHOWN_BYTES;
  return isLong ? compact : indented;
}

const bytesOf = (value: unknown): number => Buffer.byteLength(JSON.stringify(value));

function otherLabel(need: Exclude<CallNeed, { kind: 'CONNECTION' }>): string {
  if (need.kind === 'APPROVAL') return 'Reject, because';
  return onlyText(need.fields)?.label ?? 'The values as JSON';
}

function onlyText(fields: readonly QuestionField[]): QuestionField | null {
  const [field] = fields;
  return fields.length === 1 && field?.type === 'text' ? field : null;
}

/** What a person decided, or a sentence about what is wrong with the answer. */
export function readDecision(need: CallNeed, answer: UserAnswer): Omit<CallDecision, 'by'> | string {
  const { selectedOptionIds, otherText, arguments: edited, values } = answer;
  const [choice, ...more] = selectedOptionIds;
  if (more.length > 0 || (choice === undefined && otherText === null))
    return `One of ${APPROVE} and ${REJECT} must be chosen`;
  if (choice !== undefined && choice !== APPROVE && choice !== REJECT)
    return `selectedOptionIds must be ids of the question's options, not ${choice}`;
  if (otherText !== null && need.kind === 'CONNECTION') return 'otherText is not allowed for this question';
  // In clients that know only choices, the values of a form are its custom text.
  const isFilled = need.kind === 'FORM' && choice === undefined;
  const approved = choice === APPROVE || isFilled;
  if (edited !== undefined && (need.kind !== 'APPROVAL' || !approved))
    return 'arguments must be given only with the approval of a call';
  if (values !== undefined && (need.kind !== 'FORM' || !approved))
    return 'values must be given only to a form that is sent';
  if (need.kind !== 'FORM') {
    if (approved && otherText !== null) return 'otherText is the reason for a rejection';
    return {
      approved,
      note: approved ? null : otherText,
      ...(edited !== undefined && { arguments: edited }),
    };
  }
  if (!approved) return { approved, note: otherText };
  const given = isFilled ? readText(need.fields, otherText ?? '') : (values ?? {});
  if (given === null) return 'otherText must be the values of the form as a JSON object';
  const read = readValues(need.fields, given, false);
  return read.problems[0] ?? { approved, note: null, values: read.values };
}

function readText(fields: readonly QuestionField[], text: string): JsonObject | null {
  const only = onlyText(fields);
  if (only !== null) return { [only.key]: text };
  const value = parseJson(text);
  return isObject(value) ? value : null;
}

/** The answer that a decision stands for. What a need does not ask for is left out. */
export function toNeedAnswer(
  need: CallNeed,
  { approved, note, arguments: edited, values, by }: Omit<CallDecision, 'by'> & { by?: string },
): UserAnswer {
  return {
    selectedOptionIds: [approved ? APPROVE : REJECT],
    otherText: approved || need.kind === 'CONNECTION' ? null : note,
    ...(edited !== undefined && { arguments: edited }),
    ...(approved && need.kind === 'FORM' && { values: values ?? {} }),
    ...(by !== undefined && { by }),
  };
}

/** What clients learn of a need besides the question. */
export function describePurpose(need: CallNeed | undefined): {
  purpose: QuestionPurpose;
  call?: AskedCall;
  path?: string;
  fields?: QuestionField[];
} {
  if (need === undefined) return { purpose: 'question' };
  switch (need.kind) {
    case 'APPROVAL': {
      const { methodId: _id, methodVersion: _version, ...call } = need.call;
      return { purpose: 'approval', call };
    }
    case 'CONNECTION':
      return { purpose: 'connection', path: need.path };
    case 'FORM':
      return { purpose: 'form', fields: need.fields };
  }
}
