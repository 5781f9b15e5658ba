import type { SegmentOrigin } from '@platform/contracts';
import type { EntityManager } from 'typeorm';
import { pipelined } from '../../infra/database/rows.ts';
import type { StreamWriter } from '../../streams/stream-writer.ts';
import type { StreamsService } from '../../streams/streams.service.ts';
import { sessionStarted } from '../answers/opening-frame.ts';
import { insertSegment } from '../records/turn.store.ts';

interface Opening {
  turnRef: string;
  turnId: string;
  sessionName: string;
  agentId: string;
  model: string;
  segment: number;
  origin: SegmentOrigin;
  requestId: string | null;
  /** Whether a model is going to run in the segment. */
  runs: boolean;
}

/**
 * Opens a segment of a turn: its stream with the first frames, and its row. `opened` resolves when both are stored; the
 * transaction can send more statements before that (`pipelined`).
 */
export function openSegment(
  tx: EntityManager,
  streams: StreamsService,
  { turnRef, origin, runs, ...opening }: Opening,
): { writer: StreamWriter; opened: Promise<unknown> } {
  const { segment } = opening;
  const writer = streams.createWriter(segment);
  writer.writeEvent('session.started', sessionStarted({ ...opening, resumed: origin === 'resume' }));
  if (runs) writer.writeFrame('lifecycle', { event: 'started' });
  const stream = writer.open(tx, streams.leaseMs);
  const row = insertSegment(tx, turnRef, { segment, origin, streamId: writer.streamId });
  return { writer, opened: pipelined(stream, row) };
}
