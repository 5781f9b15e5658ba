import type { MessageContent, Trace } from '@platform/contracts';

/** What the playground is opened with: a message that waits to be sent. It is kept in the history of the browser. */
export interface Opening {
  draft: string;
  attachments: MessageContent[];
  /** The session that has the attachments. */
  from: string;
}

/** Returns the message of a turn, to be sent again. */
export function toOpening({ input, attachments, sessionId }: Trace): Opening {
  return { draft: input, attachments, from: sessionId };
}

/** Returns what the page was opened with. */
export function readOpening(state: unknown): Opening {
  const { draft, attachments, from } = (state ?? {}) as Partial<Opening>;
  return {
    draft: typeof draft === 'string' ? draft : '',
    attachments: Array.isArray(attachments) && typeof from === 'string' ? attachments : [],
    from: from ?? '',
  };
}
