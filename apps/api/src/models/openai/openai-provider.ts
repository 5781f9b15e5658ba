import { setImmediate } from 'node:timers/promises';
import { decodeBody } from '../../infra/requests/decoded-body.ts';
import { ArrivingResponse } from './arriving-response.ts';
import { delay } from '../port/delay.ts';
import { CallClock, type CallLimits } from '../port/call-limits.ts';
import { DeltaMask } from '../port/delta-mask.ts';
import { IdleTimer } from '../port/idle-timer.ts';
import { mergeTexts } from '../port/merge-texts.ts';
import {
  MAX_DIMENSIONS,
  ProviderError,
  type Embeddings,
  type EmbeddingRequest,
  type ModelDelta,
  type ModelProvider,
  type ModelRequest,
  type OfferedModels,
  type Reranking,
  type RerankRequest,
} from '../port/model-provider.ts';
import { ChunkReader } from './openai-chunks.ts';
import { badAnswer, connectionFailed, refused, type FailedCall } from './openai-errors.ts';
import { EventReader, parseChunk } from './openai-events.ts';
import { explainNoList, readModels } from './openai-models.ts';
import { toOpenAi, type Body } from './openai-request.ts';
import type { OpenAiServer } from './openai-server.ts';
import { readEmbeddings, readReranking } from './openai-vectors.ts';
import { quirkIn } from './server-quirks.ts';
import { readJson, readRefusal, readWhole } from './whole-answer.ts';

export interface OpenAiProviderOptions {
  /** The most tokens that the model may write, whatever a request asks for. */
  maxOutputTokens: number;
  limits: CallLimits;
}

/** Milliseconds without a byte after which a call ends that does not stream its answer. */
const WHOLE_ANSWER_MS = 60_000;
const TRIES = 2;
const RETRY_DELAY_MS = 300;
const MAX_RETRY_AFTER_SECONDS = 10;
/** How long to wait for the usage after the model has finished. */
const FIGURES_MS = 2_000;
/** How long a body may take to end after `[DONE]`, so that its connection can be reused. */
const DRAIN_MS = 1_000;
const MAX_DRAINED_BYTES = 64 * 1024;
/** After this many events without a pause, other work of the process gets its turn. */
const EVENTS_PER_TURN = 128;
const STREAM_BYTES_PER_TOKEN = 4_096;
const STREAM_BYTES_OF_SLACK = 16 * 1024 * 1024;
/** A number as JSON writes it, with a separator. */
const BYTES_PER_NUMBER = 32;
const ANSWER_BYTES = 64 * 1024;
/** Some servers repeat each text in their ranking. */
const BYTES_PER_CHAR = 6;
/** Some servers describe each of hundreds of models in a few kilobytes. */
const LIST_BYTES = 4 * 1024 * 1024;

/** Calls servers that implement OpenAI's chat completions. */
export class OpenAiProvider implements ModelProvider {
  private readonly maxOutputTokens: number;
  private readonly limits: CallLimits;

  constructor(
    private readonly server: OpenAiServer,
    { maxOutputTokens, limits }: OpenAiProviderOptions,
  ) {
    this.limits = limits;
    this.maxOutputTokens = maxOutputTokens;
  }

  async *stream(
    request: ModelRequest,
    signal: AbortSignal,
    pace?: () => Promise<void> | null,
  ): AsyncGenerator<ModelDelta> {
    signal.throwIfAborted();
    const upstream = new AbortController();
    const abort = () => {
      upstream.abort();
    };
    signal.addEventListener('abort', abort);
    const idle = new IdleTimer(this.limits.stallMs, abort);
    const clock = new CallClock(this.limits);
    const maxTokens = Math.min(request.settings.maxTokens ?? Infinity, this.maxOutputTokens);
    const events = new EventReader(maxTokens * STREAM_BYTES_PER_TOKEN + STREAM_BYTES_OF_SLACK);
    const reader = new ChunkReader(maxTokens);
    const mask = new DeltaMask(this.server.secrets);
    let figuresTimer: NodeJS.Timeout | undefined;
    let ended = false;
    let overrun: string | null = null;
    let sinceTurn = 0;
    try {
      const body = await this.open(request, upstream.signal, idle);
      const pieces = body[Symbol.asyncIterator]();
      while (!reader.isFull()) {
        idle.wait();
        const piece = await pieces.next();
        idle.rest();
        ended = piece.done === true;
        if (piece.done) break;
        overrun = clock.overrun();
        if (overrun !== null) break;
        const chunks = events.push(piece.value);
        for (let start = 0; start < chunks.length && !reader.isFull(); start += EVENTS_PER_TURN) {
          const some = chunks.slice(start, start + EVENTS_PER_TURN);
          const deltas = readChunks(some, reader, mask);
          for (const delta of pace ? mergeTexts(deltas) : deltas) {
            yield delta;
            clock.progress();
          }
          sinceTurn += some.length;
          if (sinceTurn < EVENTS_PER_TURN) continue;
          sinceTurn = 0;
          await setImmediate();
        }
        if (events.done) {
          ended = true;
          void drain(pieces, abort);
          break;
        }
        if (reader.finished) figuresTimer ??= setTimeout(abort, FIGURES_MS);
        else {
          const pause = pace?.() ?? null;
          if (pause === null) continue;
          await (body instanceof ArrivingResponse ? body.hold(pause) : pause);
          clock.progress();
        }
      }
    } catch (error) {
      // An abort can end the body with or without an error; both are handled below.
      if (!upstream.signal.aborted && !reader.finished) throw connectionFailed(error);
    } finally {
      idle.stop();
      clearTimeout(figuresTimer);
      signal.removeEventListener('abort', abort);
      if (!ended) upstream.abort();
    }
    signal.throwIfAborted();
    if (overrun !== null && !reader.finished) throw new ProviderError('timeout', overrun);
    if (idle.expired && !reader.finished) {
      throw new ProviderError('timeout', "The model's server stayed silent for too long.");
    }
    for (const delta of mask.end()) yield delta;
    for (const delta of reader.end()) yield delta;
  }

  async embed({ model, texts, dimensions }: EmbeddingRequest, signal: AbortSignal): Promise<Embeddings> {
    const body = { model, input: texts, encoding_format: 'float', dimensions };
    const limits = {
      maxBytes: ANSWER_BYTES + texts.length * (dimensions ?? MAX_DIMENSIONS) * BYTES_PER_NUMBER,
      timeoutMs: WHOLE_ANSWER_MS,
    };
    return readEmbeddings(await readWhole(this.server, '/embeddings', body, limits, signal), texts.length);
  }

  async rerank({ model, query, texts }: RerankRequest, signal: AbortSignal): Promise<Reranking> {
    const body = { model, query, documents: texts, top_n: texts.length, return_documents: false };
    const chars = texts.reduce((sum, text) => sum + text.length, 0);
    const limits = { maxBytes: ANSWER_BYTES + chars * BYTES_PER_CHAR, timeoutMs: WHOLE_ANSWER_MS };
    return readReranking(await readWhole(this.server, '/rerank', body, limits, signal), texts.length);
  }

  async listModels(signal: AbortSignal): Promise<OfferedModels> {
    const { server } = this;
    const limits = { maxBytes: LIST_BYTES, timeoutMs: WHOLE_ANSWER_MS };
    try {
      return readModels(await readJson(server, server.models(), limits, signal), server.secrets);
    } catch (error) {
      signal.throwIfAborted();
      throw explainNoList(error);
    }
  }

  /** Opens the response. Retries happen only here, before its first byte. */
  private async open(
    request: ModelRequest,
    signal: AbortSignal,
    idle: IdleTimer,
  ): Promise<AsyncIterable<Buffer>> {
    const { quirks } = this.server;
    const avoided = quirks.known(Date.now());
    for (let tries = 1; ;) {
      const sent = toOpenAi(request, avoided);
      idle.wait();
      const answer = await this.post(sent, signal);
      if ('body' in answer) {
        quirks.remember(avoided, Date.now());
        return answer.body;
      }
      const quirk = isRefusal(answer) ? quirkIn(sent, answer.refusal) : null;
      if (quirk !== null && !signal.aborted) {
        avoided.add(quirk);
        continue;
      }
      const wait = tries++ < TRIES ? retryDelay(answer) : null;
      if (wait === null || signal.aborted) throw answer.error;
      idle.rest();
      await delay(wait, signal);
    }
  }

  private async post(sent: Body, signal: AbortSignal): Promise<{ body: AsyncIterable<Buffer> } | FailedCall> {
    try {
      const response = new ArrivingResponse(signal);
      this.server.dispatcher.dispatch(
        {
          ...this.server.post('/chat/completions', JSON.stringify(sent)),
          // The idle timer watches over both.
          headersTimeout: 0,
          bodyTimeout: 0,
        },
        response,
      );
      const { statusCode, headers } = await response.started;
      if (statusCode >= 300) {
        return refused(statusCode, headers, await readRefusal(response), this.server.secrets);
      }
      const decoded = decodeBody(response, headers['content-encoding']);
      if (decoded !== null) return { body: decoded };
      response.abort();
      return { error: badAnswer(), status: statusCode, refusal: '' };
    } catch (error) {
      return { error: connectionFailed(error), status: null, refusal: '' };
    }
  }
}

function* readChunks(chunks: string[], reader: ChunkReader, mask: DeltaMask): Generator<ModelDelta> {
  for (const chunk of chunks) {
    for (const delta of reader.read(parseChunk(chunk))) {
      const shown = mask.pass(delta);
      if (shown) yield shown;
    }
    if (reader.isFull()) return;
  }
}

const isRefusal = ({ status }: FailedCall) => status === 400 || status === 422;

/** Milliseconds until a retry; null if a retry is useless, or the server asks to wait longer than a caller would. */
function retryDelay({ status, retryAfter = RETRY_DELAY_MS / 1_000 }: FailedCall): number | null {
  if (status === null) return RETRY_DELAY_MS;
  if (status !== 429 && status !== 408 && status < 500) return null;
  return retryAfter <= MAX_RETRY_AFTER_SECONDS ? retryAfter * 1_000 : null;
}

/** Reads a response to its end, but not one that does not end. */
async function drain(pieces: AsyncIterator<Buffer>, cut: () => void): Promise<void> {
  const timer = setTimeout(cut, DRAIN_MS).unref();
  try {
    let size = 0;
    for (let piece = await pieces.next(); !piece.done; piece = await pieces.next()) {
      size += piece.value.length;
      if (size > MAX_DRAINED_BYTES) cut();
    }
  } catch {
    // The connection is closed, but the response was complete.
  } finally {
    clearTimeout(timer);
  }
}
