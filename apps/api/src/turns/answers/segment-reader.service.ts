import { Injectable } from '@nestjs/common';
import { STREAM_PROTOCOL, STREAM_PROTOCOL_HEADER, type ChatResponse } from '@platform/contracts';
import type { Request, Response } from 'express';
import { OpenResponsesRegistry } from '../../auth/credentials/open-responses.registry.ts';
import type { UserPrincipal } from '../../auth/principals/principal.ts';
import { FairQueue } from '../../infra/runtime/fair-queue.ts';
import { AppError } from '../../infra/errors/app-error.ts';
import { sendStream } from '../../infra/responses/sse.ts';
import { StreamsService } from '../../streams/streams.service.ts';
import { collectAnswer } from './collect-answer.ts';
import type { OpenedSegment } from './opened-segment.ts';

/** How many streams are looked up at the same time: after an outage, hundreds of readers return at once. */
const LOOKUPS_AT_ONCE = 4;

/** Responds with a segment as a stream or as JSON; both read the same log. */
@Injectable()
export class SegmentReaderService {
  private readonly lookups = new FairQueue({ places: LOOKUPS_AT_ONCE });
  private readonly responding = new Set<Promise<void>>();

  constructor(
    private readonly streams: StreamsService,
    private readonly openResponses: OpenResponsesRegistry,
  ) {}

  /** Admits one more stream of the caller, before anything is started for it. Throws 429 if there are too many. */
  admit(caller: UserPrincipal, res: Response): void {
    this.openResponses.admit(caller, res);
  }

  /** Responds with the segment that `open` returns: as a stream, or as the JSON that `toBody` makes of its answer. */
  async respond(
    { caller, req, res, streamed }: { caller: UserPrincipal; req: Request; res: Response; streamed: boolean },
    open: () => Promise<OpenedSegment>,
    toBody: (answer: ChatResponse) => object,
  ): Promise<void> {
    if (streamed) {
      assertStreamProtocol(req);
      this.admit(caller, res);
    }
    const opened = await open();
    const response = streamed
      ? this.stream(res, opened)
      : this.answer(req, res, opened).then((answer) => void res.json(toBody(answer)));
    this.responding.add(response);
    await response.finally(() => this.responding.delete(response));
  }

  /** Resolves when the responses to calls that started or continued turns have been written. */
  async responded(): Promise<void> {
    await Promise.allSettled(this.responding);
  }

  /** Looks up the stream to re-attach to, round-robin over users. */
  find(caller: UserPrincipal, look: () => Promise<OpenedSegment>): Promise<OpenedSegment> {
    return this.lookups.run(caller.userId, look);
  }

  /** Sends the frames after `after`, until the segment ends or the reader disconnects. */
  async stream(res: Response, opened: OpenedSegment, after = 0): Promise<void> {
    setTurnHeaders(res, opened);
    await sendStream(res, (signal) => this.frames(opened, after, signal));
  }

  /** Waits for the end of the segment and returns its answer; throws if the turn failed. */
  async answer(req: Request, res: Response, opened: OpenedSegment): Promise<ChatResponse> {
    setTurnHeaders(res, opened);
    const disconnected = new AbortController();
    res.once('close', () => disconnected.abort());
    if (res.destroyed) disconnected.abort();
    return this.collect(opened, disconnected.signal);
  }

  /** Reads a segment to its end; throws if the turn failed. */
  collect(opened: OpenedSegment, signal: AbortSignal): Promise<ChatResponse> {
    return collectAnswer(this.frames(opened, 0, signal));
  }

  private async *frames({ streamId, userId, replay }: OpenedSegment, after: number, signal: AbortSignal) {
    if (replay) yield replay;
    else yield* this.streams.follow(streamId, after, signal, userId);
  }
}

/** Throws 426 unless the request names the stream protocol. Called after the body is validated, before anything runs. */
export function assertStreamProtocol(req: Request): void {
  const requested = req.get(STREAM_PROTOCOL_HEADER);
  if (requested === STREAM_PROTOCOL) return;
  throw new AppError(
    'STREAM_PROTOCOL_REQUIRED',
    `A streaming request needs the header ${STREAM_PROTOCOL_HEADER}: ${STREAM_PROTOCOL}`,
  );
}

/** Returns where a re-attach continues: at the position in the query, otherwise after `Last-Event-ID`. Segment null is the latest. */
export function attachPosition(
  req: Request,
  query: { segment?: number; after?: number },
): { segment: number | null; after: number } {
  const last = lastEventId(req);
  const segment = query.segment ?? last?.segment ?? null;
  return { segment, after: query.after ?? (last?.segment === segment ? last.after : 0) };
}

/** Parses `<segment>.<seq>`. Returns null for anything else. */
function lastEventId(req: Request): { segment: number; after: number } | null {
  const [, segment, seq] = /^(\d{1,9})\.(\d{1,9})$/.exec(req.get('Last-Event-ID') ?? '') ?? [];
  return segment === undefined || seq === undefined ? null : { segment: Number(segment), after: Number(seq) };
}

function setTurnHeaders(res: Response, { turnId, sessionName }: OpenedSegment): void {
  res.setHeader('X-Turn-Id', turnId);
  // The name of a session may contain characters that a header cannot.
  res.setHeader('X-Session-Id', encodeURIComponent(sessionName));
}
