import type { SegmentOrigin } from '@platform/contracts';
import type { ResolvedModel } from '../../models/catalog/catalog.service.ts';
import type { StreamWriter } from '../../streams/stream-writer.ts';
import type { Payer } from '../records/payer.ts';
import type { Step } from '../records/steps.ts';
import type { Tail } from './context.store.ts';

/** What the context needs to know about a running turn. */
export interface RunningTurn {
  readonly payer: Payer;
  readonly session: { ref: string };
  /** Its position in the session, starting at 1. */
  readonly n: number;
  readonly origin: SegmentOrigin;
  readonly model: ResolvedModel;
  readonly steps: Step[];
  readonly writer: Pick<StreamWriter, 'writeEvent'>;
  /** Aborts when the turn is stopped or its lease is lost. */
  readonly signal: AbortSignal;
  /** The steps of earlier turns that are in no page yet; the end of the turn adds them to one. */
  unfolded: Tail | null;
}
