import type { MessageContent, Trace } from '@platform/contracts';
import { createSessionId } from './session-id.ts';

/** What the playground is opened with: a message that waits to be sent. It is kept in the history of the browser. */
export interface Opening {
  /** Under which what becomes of the message is kept; null if there is no message. */
  id: string | null;
  draft: string;
  attachments: MessageContent[];
  /** The session that has the attachments. */
  from: string;
}

/** Returns the message of a turn, to be sent again. */
export function toOpening({ input, attachments, sessionId }: Trace): Opening {
  return { id: createSessionId(), draft: input, attachments, from: sessionId };
}

/** Returns what the page was opened with. */
export function readOpening(state: unknown): Opening {
  const { id, draft, attachments, from } = (state ?? {}) as Partial<Opening>;
  return {
    id: typeof id === 'string' ? id : null,
    draft: typeof draft === 'string' ? draft : '',
    attachments: Array.isArray(attachments) && typeof from === 'string' ? attachments : [],
    from: from ?? '',
  };
}
