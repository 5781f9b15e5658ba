import type { ChatResponse, ProductEvent, ProductEventFields } from '@platform/contracts';
import { AppError, unavailable } from '../../infra/errors/app-error.ts';
import type { ModelUsage } from '../../models/port/model-provider.ts';
import { decodeFrames, decodeProductEvents, type FrameData } from '../../streams/frame.ts';

/** What the stored frames of a segment show of its last model call. */
export interface LastMessage {
  /** How many calls the segment has begun. */
  calls: number;
  text: string;
  /** All that the model has written: the text, the reasoning, and calls of tools. */
  written: string;
  /** What the call has used; null if it did not end. */
  usage: ModelUsage | null;
  /** From the first frame to the last. */
  elapsedMs: number;
}

export async function collectLastMessage(frames: AsyncIterable<Buffer>): Promise<LastMessage> {
  let [calls, text, written] = [0, '', ''];
  let usage: ModelUsage | null = null;
  let first: number | null = null;
  let last = 0;
  for await (const bytes of frames) {
    for (const { params } of decodeFrames(bytes)) {
      first ??= params.timestamp;
      last = params.timestamp;
      if (params.data.event === 'message-start') {
        calls += 1;
        text = written = '';
        usage = null;
      } else if (params.data.event === 'message-finish') usage = usageIn(params.data);
      else if (params.data.event === 'content-delta') text += String(params.data.delta);
      else written += writtenBesides(params.data);
    }
  }
  return { calls, text, written: written + text, usage, elapsedMs: Math.max(0, last - (first ?? last)) };
}

/** What a frame of a model call contains of its reasoning, or of a call of a tool. */
function writtenBesides({ event, delta, content }: FrameData): string {
  if (event === 'content-block-delta') return (delta as { reasoning?: string }).reasoning ?? '';
  if (event !== 'content-block-finish') return '';
  const { type, name, args } = content as { type: string; name?: string; args?: unknown };
  return type === 'tool_call' ? `${name ?? ''}${JSON.stringify(args)}` : '';
}

/** The figures of a call that has ended, as `ModelCall` writes them. */
function usageIn({ usage }: FrameData): ModelUsage {
  const { input_tokens, output_tokens, input_token_details, output_token_details } = usage as {
    input_tokens: number;
    output_tokens: number;
    input_token_details: { cache_read: number };
    output_token_details: { reasoning: number };
  };
  return {
    promptTokens: input_tokens,
    completionTokens: output_tokens,
    cachedTokens: input_token_details.cache_read,
    reasoningTokens: output_token_details.reasoning,
  };
}

/** Reads a segment to its end and returns the JSON answer of a chat; throws if the turn failed. */
export async function collectAnswer(frames: AsyncIterable<Buffer>): Promise<ChatResponse> {
  const answer = new AnswerFold();
  for await (const bytes of frames) for (const event of decodeProductEvents(bytes)) answer.add(event);
  return answer.result();
}

class AnswerFold {
  private text = '';
  private readonly tools = new Map<string, ProductEventFields['tool.execution']>();
  private readonly evidence: ChatResponse['knowledgeEvidence'] = [];
  private interaction: ChatResponse['interaction'] = null;
  private completed: ProductEventFields['response.completed'] | null = null;
  private failed: ProductEventFields['error.occurred'] | null = null;

  add(event: ProductEvent): void {
    switch (event.event) {
      case 'content.delta':
        this.text += event.delta;
        break;
      case 'tool.execution': {
        const { event: _, ...execution } = event;
        this.tools.set(execution.callId, execution);
        break;
      }
      case 'knowledge.evidence': {
        const { event: _, ...evidence } = event;
        this.evidence.push(evidence);
        break;
      }
      case 'agent.input.required':
        this.interaction = event.interaction;
        break;
      case 'response.completed':
        this.completed = event;
        break;
      case 'error.occurred':
        this.failed = event;
        break;
      case 'session.started':
      case 'local.tool.call':
      case 'context.usage':
      case 'turn.persist_pending':
      case 'stream.ended':
        break;
    }
  }

  result(): ChatResponse {
    if (this.failed) throw toError(this.failed);
    if (this.completed === null) throw unavailable('The turn was interrupted; try again');
    const { session_id, turnId, tokens_used, token_usage, execution_time, finishReason } = this.completed;
    return {
      session_id,
      turnId,
      status: finishReason === 'length' ? 'completed' : finishReason,
      contents: this.text === '' ? [] : [{ type: 'text', text: this.text }],
      answer: this.text,
      toolExecutions: [...this.tools.values()],
      knowledgeEvidence: this.evidence,
      interaction: this.interaction,
      tokens_used,
      token_usage,
      execution_time,
    };
  }
}

function toError({ code, message, retryAfter }: ProductEventFields['error.occurred']): AppError {
  const options = retryAfter === undefined ? {} : { retryAfter };
  return code === 'INTERRUPTED' ? unavailable(message, options) : new AppError(code, message, options);
}
