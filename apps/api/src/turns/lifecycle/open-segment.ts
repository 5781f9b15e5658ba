import type { SegmentOrigin } from '@platform/contracts';
import type { EntityManager } from 'typeorm';
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

/** Opens a segment of a turn: its stream with the first frames, and its row. */
export async function openSegment(
  tx: EntityManager,
  streams: StreamsService,
  { turnRef, origin, runs, ...opening }: Opening,
): Promise<StreamWriter> {
  const { segment } = opening;
  const writer = streams.createWriter(segment);
  writer.writeEvent('session.started', sessionStarted({ ...opening, resumed: origin === 'resume' }));
  if (runs) writer.writeFrame('lifecycle', { event: 'started' });
  await writer.open(tx, streams.leaseMs);
  await insertSegment(tx, turnRef, { segment, origin, streamId: writer.streamId });
  return writer;
}
