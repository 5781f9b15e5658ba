import { Injectable } from '@nestjs/common';
import { invalid } from '../../infra/errors/app-error.ts';
import { isObject } from '../../infra/runtime/json.ts';
import type { McpTool, Reply } from '../work/mcp-tool.ts';
import { WorkService } from '../work/work.service.ts';
import { CANCEL, GET_RESULT } from '../offers/tool-name.ts';

const HANDLE = { type: 'string', description: 'The handle that a call has returned.' };

/** The tools for work that takes longer than clients wait: they name it by its handle. */
@Injectable()
export class WorkToolsService {
  constructor(private readonly work: WorkService) {}

  list(): McpTool[] {
    return [
      {
        listed: {
          name: GET_RESULT,
          description:
            'Waits for work that an earlier call has started. Can answer the question that it asks.',
          inputSchema: {
            type: 'object',
            properties: {
              handle: HANDLE,
              question: { type: 'string', description: 'The id of the question that is answered.' },
              values: { type: 'object', description: 'The answer of the person, by field.' },
            },
            required: ['handle'],
          },
          annotations: { readOnlyHint: false },
        },
        run: (input, call) =>
          this.work.resume(input.handle, { ...call, reply: call.reply ?? readReply(input) }),
      },
      {
        listed: {
          name: CANCEL,
          description: 'Cancels work that an earlier call has started.',
          inputSchema: { type: 'object', properties: { handle: HANDLE }, required: ['handle'] },
          annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: true },
        },
        run: (input, call) => this.work.cancel(input.handle, call),
      },
    ];
  }
}

function readReply({ question, values }: Record<string, unknown>): Reply | null {
  if (question === undefined && values === undefined) return null;
  if (typeof question !== 'string' || !isObject(values))
    throw invalid('question must be the id of a question, and values an object');
  return { interactionId: question, values };
}
