import type { AgentStream, VersionedJob } from '@platform/client';
import type { Frame, SegmentOrigin } from '@platform/contracts';
import { client, getSignOutSignal, keys, queryClient } from '../../../api.ts';
import { followJob } from '../../jobs/follow-job.ts';
import type { Call } from '../request/call.ts';
import { FrameBatch } from './frame-batch.ts';
import { applyFrames, hasTurnId, startNextSegment } from './live-turn.ts';
import type { Followed, LiveTurns } from './use-live-turns.ts';

/** Reads one stream of a turn. `onBegin` is called before its first frame is shown. */
export async function readSegment(
  turns: LiveTurns,
  followed: Followed,
  stream: AgentStream<string | null>,
  onBegin?: () => void,
): Promise<void> {
  const batch = new FrameBatch<Frame>((frames) => {
    turns.rename(followed, stream.turnId);
    turns.update(followed, (turn) => ({
      ...applyFrames(turn, frames),
      requestId: stream.requestId ?? turn.requestId,
    }));
  });
  let requestId: string | null = null;
  let lastSeq = 0;
  try {
    for await (const frame of stream.frames()) {
      if (lastSeq === 0) onBegin?.();
      // Another response to the same stream: the client has attached again after it lost the connection.
      const resumedAt = requestId !== null && requestId !== stream.requestId ? lastSeq : null;
      if (resumedAt !== null) turns.update(followed, (turn) => ({ ...turn, resumedAt }));
      ({ requestId } = stream);
      lastSeq = frame.seq;
      batch.add(frame);
    }
  } finally {
    batch.flush();
  }
}

/** Reads the recorded segments of a turn, and what follows. `onLength` receives the number of frames that existed. */
export async function readTurn(
  turns: LiveTurns,
  followed: Followed,
  signal: AbortSignal,
  onLength?: (lastSeq: number) => void,
): Promise<void> {
  const turn = await client.agents.turn(turns.agentId, followed.id, { signal });
  onLength?.(turn.segments.at(-1)?.lastSeq ?? 0);
  for (const [i, segment] of findCurrentSegments(turn.segments).entries()) {
    if (i > 0) turns.update(followed, (read) => startNextSegment(read, null));
    const position = { segment: segment.segment };
    await readSegment(
      turns,
      followed,
      client.agents.attachTurn(turns.agentId, followed.id, position, { signal }),
    );
  }
  const { error } = turn;
  if (turn.segments.length === 0 && error !== null)
    turns.update(followed, (read) => ({ ...read, failure: { ...error, requestId: null } }));
}

/** Creates a job, waits until it runs, and reads its turn. */
async function runJob(
  turns: LiveTurns,
  followed: Followed,
  { request }: Call & { kind: 'job' },
  signal: AbortSignal,
): Promise<void> {
  let known: VersionedJob = await client.jobs.createVersioned(request, { signal });
  const { id: jobId, turnId, sessionId: ofTurn } = known.job;
  turns.rename(followed, turnId);
  turns.update(followed, (turn) => ({ ...turn, jobId, sessionId: ofTurn }));
  void queryClient.invalidateQueries({ queryKey: keys.jobs });
  while (known.job.status === 'QUEUED') known = await followJob(client.jobs, jobId, known, signal);
  await readTurn(turns, followed, signal);
}

/**
 * Sends a request, and returns the function that reads its stream. A chat is named by the client, so that it can be
 * repeated, and is sent also if the page is left meanwhile. `onAnswer` is called when the service has it.
 */
export function openCall(
  turns: LiveTurns,
  followed: Followed,
  call: Call,
  signal: AbortSignal,
  onAnswer: () => void,
): () => Promise<void> {
  if (call.kind === 'job') return () => runJob(turns, followed, call, signal);
  if (call.kind === 'execute') {
    const stream = client.agents.executeStream(turns.agentId, call.request, { signal });
    return () => readSegment(turns, followed, stream);
  }
  const turnId = hasTurnId(followed.id) ? { turnId: followed.id } : {};
  const sending = createSending(signal);
  const request = { ...call.request, ...turnId };
  const stream = client.agents.chatStream(turns.agentId, request, { signal: sending.signal });
  followed.id = stream.turnId;
  return () =>
    readSegment(turns, followed, stream, () => {
      onAnswer();
      if (signal.aborted) void queryClient.invalidateQueries({ queryKey: keys.sessions(turns.agentId) });
      sending.end();
    });
}

/** A signal that aborts when the page is left, but not before `end` unless the user signs out. */
function createSending(leaving: AbortSignal) {
  const controller = new AbortController();
  const abort = () => controller.abort(leaving.reason);
  const signedOut = getSignOutSignal();
  signedOut.addEventListener('abort', abort);
  const end = () => {
    // It lasts as long as the session, and would keep every message that was sent.
    signedOut.removeEventListener('abort', abort);
    if (leaving.aborted) abort();
    else leaving.addEventListener('abort', abort);
  };
  return { signal: controller.signal, end };
}

/** Returns the segments that form the answer: the last start or rerun, and the resumes after it. */
function findCurrentSegments<T extends { origin: SegmentOrigin }>(segments: T[]): T[] {
  return segments.slice(
    Math.max(
      0,
      segments.findLastIndex(({ origin }) => origin !== 'resume'),
    ),
  );
}
