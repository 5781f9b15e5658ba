import type { ModelCapabilities } from '@platform/contracts';
import type { Sql } from '../../infra/database/rows.ts';
import type { ModelMessage, ModelPart, ModelToolCall } from '../../models/port/model-provider.ts';
import { loadAttachments, type StoredMedium } from '../records/attachment.store.ts';
import type { StepContent, UserPart } from '../records/steps.ts';
import { evidenceBlock } from './evidence-block.ts';
import { audioFormatOf } from '../input/media-format.ts';

/** Media of older turns are mentioned but not sent. */
const MEDIA_TURNS = 10;
/** The most bytes of the media of earlier turns. The newest are preferred. */
const MEDIA_BYTES = 16 * 1024 * 1024;
const CAPABILITY = { image: 'images', audio: 'audio', file: 'files' } as const;
const INTERRUPTED = JSON.stringify({ error: { code: 'INTERRUPTED', message: 'The call was interrupted' } });

/**
 * The messages for the model: the system prompt, then one message for each step. What it cannot take of the time of another
 * model, media and calls of tools, is only mentioned. With `namesAttachments`, the model learns the ids that it can pass to tools.
 */
export async function buildMessages(
  sql: Sql,
  systemPrompt: string,
  steps: StepContent[],
  capabilities: ModelCapabilities,
  { namesAttachments = false } = {},
): Promise<ModelMessage[]> {
  const media = await loadAttachments(sql, recentMedia(steps, capabilities), MEDIA_BYTES);
  const messages: ModelMessage[] = systemPrompt === '' ? [] : [{ role: 'system', text: systemPrompt }];
  steps.forEach((step, i) => {
    switch (step.kind) {
      case 'user':
        messages.push({
          role: 'user',
          parts: step.content.parts.flatMap((part) => [
            modelPart(part, media, capabilities),
            ...(namesAttachments ? attachmentName(part) : []),
          ]),
        });
        break;
      case 'evidence': {
        const text = evidenceBlock(step.content.searches);
        const block: ModelMessage = { role: 'user', parts: [{ type: 'text', text }], isEvidence: true };
        // Before the message that it was searched for.
        const at = steps[i - 1]?.kind === 'user' ? messages.length - 1 : messages.length;
        if (text !== '') messages.splice(at, 0, block);
        break;
      }
      case 'model':
        if (!capabilities.tools) {
          say(messages, [step.content.text, ...step.content.toolCalls.map(mentionOf)]);
          break;
        }
        messages.push({ role: 'assistant', text: step.content.text, toolCalls: step.content.toolCalls });
        for (const call of unanswered(step.content.toolCalls, steps, i + 1)) {
          messages.push({ role: 'tool', callId: call, text: INTERRUPTED });
        }
        break;
      case 'tool-result':
        if (capabilities.tools)
          messages.push({ role: 'tool', callId: step.content.callId, text: step.content.text });
        break;
      case 'partial':
        if (step.content.text !== '')
          messages.push({ role: 'assistant', text: step.content.text, toolCalls: [] });
        break;
      case 'tool-call':
      case 'tool-pause':
      case 'tool-answer':
        break;
    }
  });
  return messages;
}

const mentionOf = ({ name }: ModelToolCall) => `[the tool ${name} was called]`;

/** Adds to what the assistant has said: servers without tools often require that the roles alternate. */
function say(messages: ModelMessage[], texts: string[]): void {
  const last = messages.at(-1);
  const said = last?.role === 'assistant' ? last.text : '';
  if (said !== '') messages.pop();
  const text = [said, ...texts].filter(Boolean).join('\n\n');
  if (text !== '') messages.push({ role: 'assistant', text, toolCalls: [] });
}

/** Providers reject a conversation in which a call has no result. A turn that ended early leaves such calls. */
function unanswered(calls: { id: string }[], steps: StepContent[], from: number): string[] {
  const open = new Set(calls.map(({ id }) => id));
  for (let i = from; open.size > 0; i++) {
    const step = steps[i];
    if (step === undefined || step.kind === 'model' || step.kind === 'user') break;
    if (step.kind === 'tool-result') open.delete(step.content.callId);
  }
  return [...open];
}

/** The media of the last turns, latest turn first, in their order within a turn. */
function recentMedia(steps: StepContent[], capabilities: ModelCapabilities): string[][] {
  const spoken = steps.flatMap((step) => (step.kind === 'user' ? [step.content.parts] : []));
  return spoken
    .slice(-MEDIA_TURNS)
    .reverse()
    .map((parts) =>
      parts.flatMap((part) =>
        'attachmentId' in part &&
        part.attachmentId !== undefined &&
        !hasText(part) &&
        capabilities[CAPABILITY[part.type]]
          ? [part.attachmentId]
          : [],
      ),
    );
}

function modelPart(
  part: UserPart,
  media: Map<string, StoredMedium>,
  { images }: ModelCapabilities,
): ModelPart {
  const medium =
    'attachmentId' in part && part.attachmentId !== undefined ? media.get(part.attachmentId) : undefined;
  switch (part.type) {
    case 'text':
      return part;
    case 'image':
      if (images && part.url !== undefined) return { type: 'image', url: part.url, detail: part.detail };
      if (medium === undefined) return { type: 'text', text: '[an image that was sent earlier]' };
      return {
        type: 'image',
        url: `data:${medium.mime};base64,${medium.data.toString('base64')}`,
        detail: part.detail,
      };
    case 'audio': {
      // Earlier versions stored recordings of other formats.
      const format = medium && audioFormatOf(medium.data);
      if (medium === undefined || !format)
        return { type: 'text', text: '[a recording that was sent earlier]' };
      return { type: 'audio', data: medium.data.toString('base64'), format };
    }
    case 'file': {
      const name = typeof part.info.name === 'string' ? part.info.name : 'file';
      if (part.text !== undefined) return { type: 'text', text: `File ${name}:\n${part.text}` };
      if (medium === undefined) return { type: 'text', text: `[the file ${name} that was sent earlier]` };
      return { type: 'file', filename: name, mime: medium.mime, data: medium.data.toString('base64') };
    }
  }
}

function attachmentName(part: UserPart): ModelPart[] {
  if (!('attachmentId' in part) || part.attachmentId === undefined) return [];
  return [{ type: 'text', text: `[For tools, the ${part.type} above is attachment:${part.attachmentId}]` }];
}

function hasText(part: UserPart): boolean {
  return part.type === 'file' && part.text !== undefined;
}
