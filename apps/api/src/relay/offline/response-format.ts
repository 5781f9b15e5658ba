import type { AppError } from '../../infra/errors/app-error.ts';
import type { ModelDelta } from '../../models/port/model-provider.ts';

/** How the output of a model becomes a response of one of OpenAI's APIs: a stream of events, or one object. */
export interface ResponseFormat {
  /** The first events. */
  open(): string;
  /** The events of a delta, or an empty string. */
  add(delta: ModelDelta): string;
  /** The last events. */
  close(): string;
  /** The last event of a response that fails. */
  fail(error: AppError): string;
  /** The complete response. */
  whole(): object;
}

export const formatEvent = (data: object) => `data: ${JSON.stringify(data)}\n\n`;
