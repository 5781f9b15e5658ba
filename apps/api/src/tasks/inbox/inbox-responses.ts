import type { Question, QuestionListing } from '@platform/contracts';
import type { QuestionRow } from './inbox.store.ts';

/** Names of people by id. */
type People = ReadonlyMap<string, { id: string; name: string }>;

export function toQuestionListing(question: QuestionRow, people: People): QuestionListing {
  const { id, runId, taskId, taskName, scope, message, approval, recipients, status, approved } = question;
  const answerer = question.answeredBy === null ? undefined : people.get(question.answeredBy);
  return {
    id,
    runId,
    taskId,
    taskName,
    scope,
    message,
    approval,
    recipients,
    status,
    approved,
    answeredBy: answerer ? { id: answerer.id, name: answerer.name } : null,
    answeredAt: question.answeredAt?.toISOString() ?? null,
    createdAt: question.createdAt.toISOString(),
    expiresAt: question.expiresAt?.toISOString() ?? null,
  };
}

export function toQuestion(question: QuestionRow, people: People): Question {
  const { fields, values, note, isAddressed } = question;
  return { ...toQuestionListing(question, people), fields, values, note, addressed: isAddressed };
}
