import type { Fact } from '../../infra/facts/facts.service.ts';
import { shortenText } from '../../infra/runtime/shorten-text.ts';
import type { WaitingQuestion } from './inbox.store.ts';

/** Of its message, what people are told elsewhere. */
const TOLD_MESSAGE = 500;

/** A subscriber to it that asks as well is in the chain of the run. */
export function toQuestionFact(
  { id, spaceId, runId, taskId, taskName, message, need }: WaitingQuestion,
  isReminder: boolean,
): Fact {
  const told = shortenText(message, TOLD_MESSAGE);
  return {
    spaceId,
    name: 'question.waiting',
    key: isReminder ? `${id}:reminder` : id,
    payload: {
      ...(runId !== null && { runId, taskId, taskName }),
      ...(need?.agent && { agentId: need.agent.id, agentName: need.agent.name }),
      message: told,
      questionId: id,
      reminder: isReminder,
    },
    causationRunId: runId,
  };
}
