import type { Dispatcher } from 'undici';
import { isObject } from '../../infra/runtime/json.ts';
import { decodeBody } from '../../infra/requests/decoded-body.ts';
import { ArrivingResponse } from './arriving-response.ts';
import { badAnswer, connectionFailed, refused } from './openai-errors.ts';
import type { OpenAiPath, OpenAiServer } from './openai-server.ts';

const MAX_REFUSAL_BYTES = 64 * 1024;

interface WholeLimits {
  maxBytes: number;
  /** Milliseconds without a byte after which the call ends. */
  timeoutMs: number;
}

/** Posts a JSON body, and reads the response as one JSON object of at most `maxBytes`. Throws as a provider does. */
export async function readWhole(
  server: OpenAiServer,
  path: OpenAiPath,
  body: object,
  limits: WholeLimits,
  signal: AbortSignal,
): Promise<Record<string, unknown>> {
  const answer = await readJson(server, server.post(path, JSON.stringify(body)), limits, signal);
  if (!isObject(answer)) throw badAnswer();
  return answer;
}

/** Makes a call, and reads the response as JSON of at most `maxBytes`. Throws as a provider does. */
export async function readJson(
  server: OpenAiServer,
  request: Dispatcher.DispatchOptions,
  { maxBytes, timeoutMs }: WholeLimits,
  signal: AbortSignal,
): Promise<unknown> {
  signal.throwIfAborted();
  const response = new ArrivingResponse(signal);
  try {
    const limits = { headersTimeout: timeoutMs, bodyTimeout: timeoutMs };
    server.dispatcher.dispatch({ ...request, ...limits }, response);
    const { statusCode, headers } = await response.started;
    if (statusCode >= 300)
      throw refused(statusCode, headers, await readRefusal(response), server.secrets).error;
    const decoded = decodeBody(response, headers['content-encoding']);
    const bytes = decoded && (await readBytes(decoded, maxBytes));
    if (bytes === null || bytes.length > maxBytes) throw badAnswer();
    return parse(bytes);
  } catch (error) {
    signal.throwIfAborted();
    throw connectionFailed(error);
  } finally {
    response.abort();
  }
}

/** The beginning of an error response, as far as it is received. */
export async function readRefusal(body: AsyncIterable<Buffer>): Promise<string> {
  const bytes = await readBytes(body, MAX_REFUSAL_BYTES).catch(() => Buffer.alloc(0));
  return bytes.toString('utf8', 0, MAX_REFUSAL_BYTES);
}

/** Reads until there are more than `maxBytes`. */
async function readBytes(body: AsyncIterable<Buffer>, maxBytes: number): Promise<Buffer> {
  const parts: Buffer[] = [];
  let size = 0;
  for await (const part of body) {
    parts.push(part);
    size += part.length;
    // Leaving the loop closes the connection.
    if (size > maxBytes) break;
  }
  return Buffer.concat(parts);
}

function parse(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString());
  } catch {
    throw badAnswer();
  }
}
