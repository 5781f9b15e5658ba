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

/** Creates the writer of a segment with its first frames, which `storeSegment` stores. */
export function createSegment(streams: StreamsService, opening: Opening): StreamWriter {
  const { origin, segment, runs } = opening;
  const writer = streams.createWriter(segment);
  writer.writeEvent('session.started', sessionStarted({ ...opening, resumed: origin === 'resume' }));
  if (runs) writer.writeFrame('lifecycle', { event: 'started' });
  return writer;
}

/** Stores a segment of a turn: its stream with the first frames, and its row. Can be `pipelined`. */
export async function storeSegment(
  tx: EntityManager,
  streams: StreamsService,
  writer: StreamWriter,
  { turnRef, segment, origin }: Opening,
): Promise<void> {
  const stream = writer.open(tx, streams.leaseMs);
  await pipelined(stream, insertSegment(tx, turnRef, { segment, origin, streamId: writer.streamId }));
}
