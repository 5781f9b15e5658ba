import type { Question, QuestionListing } from '@platform/contracts';
import type { QuestionRow } from './inbox.store.ts';

/** Names of people by id. */
type People = ReadonlyMap<string, { id: string; name: string }>;

/** What the audit records of a call that was decided about. */
export function describeCall(
  { need }: Pick<QuestionRow, 'need'>,
  { edited }: { edited: object | null },
): Record<string, unknown> {
  const call = need?.call;
  if (call === undefined) return {};
  const { toolId, tool, method, hash } = call;
  return { toolId, tool, method, hash, edited: edited !== null };
}

export function toQuestionListing(question: QuestionRow, people: People): QuestionListing {
  const { id, runId, taskId, taskName, scope, message, approval, recipients, status, approved } = question;
  const nameOf = (userId: string | null | undefined) => {
    const person = userId ? people.get(userId) : undefined;
    return person ? { id: person.id, name: person.name } : null;
  };
  const { purpose, need } = question;
  return {
    id,
    purpose,
    agent: need?.agent ?? null,
    requester: nameOf(need?.requesterId),
    runId,
    taskId,
    taskName,
    scope,
    message,
    approval,
    recipients,
    status,
    approved,
    answeredBy: nameOf(question.answeredBy),
    answeredAt: question.answeredAt?.toISOString() ?? null,
    createdAt: question.createdAt.toISOString(),
    expiresAt: question.expiresAt?.toISOString() ?? null,
  };
}

export function toQuestion(question: QuestionRow, people: People): Question {
  const { fields, values, note, isAddressed, need, edited } = question;
  return {
    ...toQuestionListing(question, people),
    call: need?.call ?? null,
    path: need?.path ?? null,
    edited,
    fields,
    values,
    note,
    addressed: isAddressed,
  };
}
