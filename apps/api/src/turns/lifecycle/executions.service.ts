import { Injectable, Logger } from '@nestjs/common';
import type { ExecuteSettings, TokenUsage } from '@platform/contracts';
import { AgentsService } from '../../agents/agents.service.ts';
import type { UserPrincipal } from '../../auth/principals/principal.ts';
import { invalidFor } from '../../infra/errors/app-error.ts';
import { OWNER_CHANGED, RunStopped, StepError } from '../../tasks/runs/step-error.ts';
import { StepWait } from '../../tasks/waits/step-wait.ts';
import { CancellationService } from './cancellation.service.ts';
import { checkInputs, executeSettings, readInputs } from '../input/execute-inputs.ts';
import { AskingTurnsService } from './asking-turns.service.ts';
import type { TurnSettings } from '../records/turn.ts';
import { TurnsService } from './turns.service.ts';

const BEGUN_BY_FORMER_OWNER =
  'The agent has begun to work for the former owner of the task. Retry the run to let it begin anew for the new owner.';

/** An execution without a request, such as a step of a task. */
export interface InternalExecution {
  /** The user that it runs as. Its `causationRunId` is stored with the turn. */
  caller: UserPrincipal;
  agentId: string;
  /** As in the body of an execution, and validated in the same way. */
  inputs: unknown;
  settings?: ExecuteSettings;
  /** A repeated id returns what the first call recorded. Default: a new id. */
  turnId?: string;
  /** Whether an earlier attempt of the run may have started the turn, maybe for another owner of the task. */
  isRepeated?: boolean;
  /** The source in the ledger. */
  source: TurnSettings['source'];
  /** Whether the agent may ask. The step of the run then waits for the answer, and is executed again with the same `turnId`. */
  mayAsk?: boolean;
  /** Cancels the turn, unless a run is continued in another process, which goes on with the turn. */
  signal: AbortSignal;
}

export interface ExecutionResult {
  turnId: string;
  sessionId: string;
  answer: string;
  token_usage: TokenUsage;
  /** Seconds. */
  execution_time: number;
}

/** Runs agents for callers inside the platform. */
@Injectable()
export class ExecutionsService {
  private readonly logger = new Logger(ExecutionsService.name);

  constructor(
    private readonly agents: AgentsService,
    private readonly turns: TurnsService,
    private readonly cancellation: CancellationService,
    private readonly asking: AskingTurnsService,
  ) {}

  /**
   * Runs the agent to its answer, or to its question if it may ask. Throws NOT_FOUND or FORBIDDEN as the guard of a request
   * does, VALIDATION_ERROR for the inputs, OWNER_CHANGED if the turn belongs to the former owner of the task, what made the turn
   * fail, and the signal's reason once the canceled turn has ended.
   */
  async run(execution: InternalExecution): Promise<ExecutionResult | StepWait> {
    const { caller, agentId, inputs, settings = {}, source, signal, mayAsk = false } = execution;
    signal.throwIfAborted();
    const agent = await this.agents.getInvocable(caller, agentId);
    const problems = checkInputs(inputs, 'inputs');
    if (problems.length > 0) throw invalidFor(problems);
    const read = readInputs(inputs as Parameters<typeof readInputs>[0], agent);
    const { turnId: knownId = null, isRepeated = false } = execution;
    if (knownId !== null && isRepeated && (await this.turns.isOfFormerOwner(caller, knownId)))
      throw new StepError(OWNER_CHANGED, BEGUN_BY_FORMER_OWNER);
    const opened = await this.turns.start({
      caller,
      agent,
      contents: read.contents,
      sessionName: read.memory ? read.sessionName : null,
      turnId: knownId,
      settings: { ...executeSettings(agent.settings, settings, read, { interactive: mayAsk }), source },
      requestId: null,
      hidden: !read.memory,
    });
    const { turnId, sessionName } = opened;
    const leaving = new AbortController();
    const stop = () => {
      if (signal.reason instanceof RunStopped && signal.reason.isContinued) {
        leaving.abort(signal.reason);
        return;
      }
      this.cancellation
        .cancel(caller, agentId, turnId, sessionName)
        .catch((error: unknown) =>
          this.logger.warn({ err: error, turn: turnId }, 'A turn could not be canceled'),
        );
    };
    signal.addEventListener('abort', stop, { once: true });
    if (signal.aborted) stop();
    try {
      const answer = await this.asking.collect(opened, { agent, caller, signal, leaving: leaving.signal });
      if (answer instanceof StepWait) return answer;
      const { answer: text, token_usage, execution_time } = answer;
      return { turnId, sessionId: sessionName, answer: text, token_usage, execution_time };
    } finally {
      signal.removeEventListener('abort', stop);
    }
  }
}
