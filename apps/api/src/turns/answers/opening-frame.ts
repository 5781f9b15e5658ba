import type { ProductEventFields } from '@platform/contracts';

/** Returns the product event that begins every segment. */
export function sessionStarted(segment: {
  sessionName: string;
  turnId: string;
  segment: number;
  agentId: string;
  model: string;
  requestId: string | null;
  resumed: boolean;
}): ProductEventFields['session.started'] {
  const { turnId, agentId, model, requestId, resumed } = segment;
  return {
    sessionId: segment.sessionName,
    turnId,
    segment: segment.segment,
    agentId,
    model,
    requestId,
    resumed,
  };
}
