import { Injectable, Logger } from '@nestjs/common';
import type { FinishReason } from '@platform/contracts';
import { render } from '../../agents/template.ts';
import { Database } from '../../infra/database/database.ts';
import { isUnavailable, whileUnavailable } from '../../infra/database/unavailable.ts';
import { failpoint } from '../../infra/runtime/failpoints.ts';
import { AppError } from '../../infra/errors/app-error.ts';
import { ProviderError, type ModelRequest, type ModelTool } from '../../models/port/model-provider.ts';
import { countTokens } from '../../models/port/tokens.ts';
import type { ActiveTurn } from './active-turn.ts';
import { withSummary } from '../context/compaction.ts';
import { buildMessages } from '../context/messages.ts';
import { ContextKeeperService, showContext, type FittedContext } from '../context/context-keeper.service.ts';
import { contextTokens } from '../context/context-state.ts';
import type { StepMeasures } from '../records/steps.ts';
import { ModelCall } from './model-call.ts';
import { completeToolCalls } from './tool-calls.ts';
import { TurnEvidenceService } from './turn-evidence.service.ts';
import type { Outcome } from './turn-closing.ts';
import { TurnStorageService } from './turn-storage.service.ts';
import type { TurnFailure } from '../records/turn.ts';
import type { TurnTool } from './turn-tool.ts';
import { TurnToolsService } from './turn-tools.service.ts';

/** A turn that calls the model more often is going in circles. */
export const MAX_MODEL_CALLS = 25;

/**
 * Runs a turn to its end. Start, resume, and rerun are this one loop over the stored steps: complete the tool calls of
 * the last model step, otherwise call the model, until it asks for nothing more.
 */
@Injectable()
export class TurnEngineService {
  private readonly logger = new Logger(TurnEngineService.name);

  constructor(
    private readonly database: Database,
    private readonly tools: TurnToolsService,
    private readonly evidence: TurnEvidenceService,
    private readonly contexts: ContextKeeperService,
    private readonly storage: TurnStorageService,
  ) {}

  /**
   * Runs the turn; nothing outside of the service is called before `ready` resolves. Never rejects: every failure becomes
   * the end of the turn, unless the lease was lost.
   */
  async run(turn: ActiveTurn, ready: Promise<void>): Promise<void> {
    let call: ModelCall | null = null;
    try {
      const outcome = await this.loop(turn, ready, (started) => (call = started));
      await this.storage.close(turn, outcome);
    } catch (error) {
      if (turn.writer.signal.aborted) {
        this.logger.warn({ turn: turn.id }, 'The turn was taken over');
        return;
      }
      await this.endEarly(turn, error, call);
    }
  }

  private async loop(
    turn: ActiveTurn,
    ready: Promise<void>,
    onCall: (call: ModelCall | null) => void,
  ): Promise<Outcome> {
    const tools = await whileUnavailable(() => this.tools.offered(turn), turn.signal);
    const systemPrompt = render(turn.agent.systemPrompt, turn.agent.variables, turn.settings.variables);
    const systemTokens = await countTokens(systemPrompt);
    const context = await this.contexts.open(turn, systemTokens);
    const outputTokens = Math.min(turn.settings.maxTokens ?? Infinity, turn.model.maxOutputTokens);
    const warnings = await whileUnavailable(() => this.tools.listMissing(turn), turn.signal);
    turn.writer.writeFrame('lifecycle', { event: 'running', ...(warnings.length > 0 && { warnings }) });
    await ready;
    await this.evidence.provide(turn, systemTokens, outputTokens);
    failpoint('turns.run');

    for (let count = 0; count < MAX_MODEL_CALLS; count++) {
      const question = await completeToolCalls(this.database, turn, tools);
      if (question) return { status: 'INPUT_REQUIRED', ...question };
      const fitted = await this.contexts.fit(turn, context, outputTokens);
      const request = await this.request(turn, systemPrompt, fitted, outputTokens, tools);
      if (count > 0) await this.storage.reserve(turn, fitted.usedTokens, outputTokens);
      const call = new ModelCall(turn, request);
      onCall(call);
      await call.run();
      const { usage, estimated } = await call.used();
      turn.used(usage, estimated);
      call.charged = true;
      call.finishMessage(usage);
      const tokens = contextTokens(usage);
      showContext(turn, tokens, estimated);

      const { toolCalls } = call;
      const content = { text: call.text, toolCalls, context: { tokens, estimated } };
      const measures = measuresOf(turn, call);
      const step = { kind: 'model' as const, content, tokens: usage.completionTokens, measures };
      if (toolCalls.length === 0) {
        const finishReason: FinishReason = call.finish === 'length' ? 'length' : 'completed';
        return { status: 'COMPLETED', finishReason, step };
      }
      await this.storage.keep(turn, step);
      onCall(null);
    }
    throw new AppError('SERVER_ERROR', `The turn was stopped after ${MAX_MODEL_CALLS} calls of the model`);
  }

  private async request(
    turn: ActiveTurn,
    systemPrompt: string,
    { context }: FittedContext,
    maxTokens: number,
    tools: TurnTool[],
  ): Promise<ModelRequest> {
    const { model, settings } = turn;
    const namesAttachments = tools.some(({ kind }) => kind === 'http' || kind === 'speech');
    const messages = await whileUnavailable(
      () =>
        buildMessages(this.database, withSummary(systemPrompt, context), context.steps, model.capabilities, {
          namesAttachments,
        }),
      turn.signal,
    );
    return {
      model: model.upstreamModel,
      messages,
      tools: tools.map(({ name, description, parameters }): ModelTool => ({ name, description, parameters })),
      settings: {
        maxTokens,
        ...(settings.temperature !== undefined && { temperature: settings.temperature }),
        ...(settings.topP !== undefined && { topP: settings.topP }),
        ...(settings.frequencyPenalty !== undefined && { frequencyPenalty: settings.frequencyPenalty }),
        ...(settings.presencePenalty !== undefined && { presencePenalty: settings.presencePenalty }),
      },
    };
  }

  /** Ends a turn that failed or was stopped: the text so far is stored and charged. */
  private async endEarly(turn: ActiveTurn, error: unknown, call: ModelCall | null): Promise<void> {
    try {
      const text = call?.text ?? '';
      if (call?.began && !call.charged) {
        const { usage } = await call.used();
        turn.used(usage, true);
        call.finishMessage(usage);
      }
      const tokens = text === '' ? 0 : await countTokens(text);
      const measures = call === null ? undefined : measuresOf(turn, call);
      const step = { kind: 'partial' as const, content: { text }, tokens, measures };
      if (turn.stopped === 'cancelled') {
        await this.storage.close(turn, { status: 'CANCELLED', finishReason: 'cancelled', step });
        return;
      }
      const failure = failureOf(turn, error);
      if (failure.code === 'SERVER_ERROR') this.logger.error({ err: error, turn: turn.id }, 'A turn failed');
      await this.storage.close(turn, { status: 'FAILED', failure, step });
    } catch (closing) {
      if (!turn.writer.signal.aborted) {
        this.logger.error(
          { err: closing, turn: turn.id },
          'A turn could not be closed; its lease will expire',
        );
        turn.writer.abandon();
      }
    }
  }
}

/** What the trace shows of a call: its time, and its usage if it was used. */
function measuresOf(turn: ActiveTurn, call: ModelCall): StepMeasures {
  if (turn.due === null) return call.measures();
  const { callId: _, cost, ...usage } = turn.due;
  return { ...call.measures(), usage: { ...usage, cost: cost ?? 0 } };
}

function failureOf(turn: ActiveTurn, error: unknown): TurnFailure {
  if (turn.stopped === 'shutdown') {
    return { code: 'INTERRUPTED', message: 'The service is shutting down; try again', retryable: true };
  }
  if (error instanceof ProviderError) {
    const { message, retryable, retryAfter, detail } = error;
    return {
      code: 'UNAVAILABLE',
      message,
      retryable,
      ...(retryAfter !== undefined && { retryAfter }),
      ...(detail !== undefined && { detail }),
    };
  }
  if (error instanceof AppError) {
    return { code: error.code, message: error.message, retryable: error.code !== 'VALIDATION_ERROR' };
  }
  if (isUnavailable(error)) {
    const message = 'The service could not do this in time; try again';
    return { code: 'UNAVAILABLE', message, retryable: true };
  }
  return { code: 'SERVER_ERROR', message: 'Something went wrong on our side', retryable: true };
}
