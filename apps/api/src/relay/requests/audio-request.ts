import { AppError } from '../../infra/errors/app-error.ts';
import { parseForm } from '../../infra/requests/multipart-form.ts';
import { isObject, type JsonObject } from '../../infra/runtime/json.ts';
import { invalidField, parseModelName, type RelayRequest } from './relay-request.ts';

/** OpenAI has fewer than twenty fields, some of which are lists. */
const MAX_FIELDS = 64;

/** A transcription before its model is known. */
export interface TranscriptionForm {
  model: string;
  form: FormData;
}

/** Reads the form of a transcription, or throws 400. */
export async function readTranscriptionForm(body: unknown, contentType: string): Promise<TranscriptionForm> {
  if (!Buffer.isBuffer(body))
    throw new AppError('VALIDATION_ERROR', 'The body must be sent as multipart/form-data');
  const form = await parseForm(body, contentType, MAX_FIELDS);
  return { model: parseModelName({ model: form.get('model') }), form };
}

/** Prepares the form for the server, which knows the model by another name. */
export async function parseTranscription(form: FormData, upstreamModel: string): Promise<RelayRequest> {
  const files = form.getAll('file');
  if (files.length !== 1 || !(files[0] instanceof File)) throw invalidField('file', 'file must be one file');
  form.set('model', upstreamModel);
  const encoded = new Response(form);
  const prompt = form.get('prompt');
  return {
    path: '/audio/transcriptions',
    // For the estimate of the prompt: its text, and the recording.
    body: { input: [typeof prompt === 'string' ? prompt : '', { type: 'input_audio' }] },
    encoded: {
      contentType: encoded.headers.get('Content-Type') ?? '',
      bytes: Buffer.from(await encoded.arrayBuffer()),
    },
    stream: form.get('stream') === 'true',
    includeUsage: true,
    maxOutputTokens: null,
  };
}

/** Parses a request for speech. */
export function parseSpeechRequest(body: JsonObject): RelayRequest {
  const { input, stream_format: format } = body;
  if (typeof input !== 'string' || input === '') throw invalidField('input', 'input must be a text');
  if (body.instructions !== undefined && typeof body.instructions !== 'string' && body.instructions !== null)
    throw invalidField('instructions', 'instructions must be a text');
  // A voice is a name, or an object with the id of one.
  if (typeof body.voice !== 'string' && !isObject(body.voice))
    throw invalidField('voice', 'voice must be the name of a voice');
  return {
    path: '/audio/speech',
    body,
    stream: format === 'sse',
    includeUsage: true,
    maxOutputTokens: 0,
  };
}
