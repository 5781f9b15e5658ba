import type { SpeechConfig, SpeechInput } from '@platform/speech';
import { OutgoingError } from '../../infra/outgoing/guarded-http.ts';
import type { BuiltinTool } from './builtin-tool.ts';
import { ToolError } from '../calls/tool-error.ts';

const ATTACHMENT = 'attachment:';

/** Far more than the text of a minute. */
const MAX_RESPONSE_BYTES = 1_048_576;

/** Converts a short audio clip to text. Its failures are outputs, which name their reason. */
export const speechTool: BuiltinTool = {
  name: 'speech_recognition',
  description: 'Speech recognition 1.1.0: converts an audio clip of at most 60 seconds to text',
  kind: 'speech',
  methods: [
    {
      name: 'recognize',
      description:
        'Converts a short audio clip (wav, mp3, m4a, pcm, or aac; at most 5 MB and 60 seconds) to text',
      acts: false,
      inputSchema: {
        type: 'object',
        properties: {
          audio: {
            type: 'string',
            description: 'The clip in base64, with or without a data: prefix, or attachment:<id>',
          },
          language: {
            type: 'string',
            description: 'zh-CN, zh-TW, en-US, ja-JP, ko-KR, es-ES, fr-FR, de-DE, or ru-RU; default zh-CN',
          },
          format: { type: 'string', description: 'wav, mp3, m4a, pcm, or aac; default: detected' },
          filename: { type: 'string', description: 'Default audio.{format}' },
          sessionId: { type: 'string', description: 'Returned in the output' },
        },
        required: ['audio'],
      },
      outputSchema: {
        type: 'object',
        properties: {
          success: { type: 'boolean' },
          text: { type: 'string' },
          language: { type: 'string' },
          confidence: { type: 'number' },
          provider: { type: 'string' },
          method: { type: 'string' },
          processedAt: { type: 'string' },
          audioSize: { type: 'integer' },
          sessionId: { type: ['string', 'null'] },
          executionTime: { type: 'integer' },
          error: { type: 'string' },
          failed: { type: 'boolean' },
        },
        required: ['success'],
      },
      async run(input, { configuration, attachments, signal, warn, fetch, explainBlocked }) {
        // The SDK of the provider is loaded by the first call.
        const { recognize, TencentSpeechProvider, unreachable } = await import('@platform/speech');
        const tencent = new TencentSpeechProvider({
          fetch: (url, request) =>
            fetch(url, {
              ...request,
              signal: AbortSignal.any([signal, request.signal]),
              maxBytes: MAX_RESPONSE_BYTES,
            }),
        });
        const config: SpeechConfig = configuration;
        return recognize(await withAttachment(input, attachments.read), config, {
          onWarning: warn,
          provider: {
            name: tencent.name,
            async recognize(request, complete) {
              try {
                return await tencent.recognize(request, complete);
              } catch (error) {
                const explanation = isBlocked(error) ? await explainBlocked() : null;
                throw explanation === null
                  ? error
                  : unreachable(complete.endpoint, `. ${explanation}`, error);
              }
            },
          },
        });
      },
    },
  ],
};

/** The cause is what the call threw. */
function isBlocked(error: unknown): boolean {
  return error instanceof Error && error.cause instanceof OutgoingError && error.cause.isBlocked;
}

async function withAttachment(
  input: Record<string, unknown>,
  read: (id: string) => Promise<{ data: Buffer } | null>,
): Promise<SpeechInput> {
  const { audio } = input;
  if (typeof audio !== 'string' || !audio.startsWith(ATTACHMENT)) return input as unknown as SpeechInput;
  const found = await read(audio.slice(ATTACHMENT.length));
  if (found === null) throw new ToolError(`The session has no ${audio.slice(0, 100)}`);
  return { ...input, audio: found.data };
}
