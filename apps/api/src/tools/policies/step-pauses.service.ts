import { Injectable, type OnModuleInit } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import {
  ConnectionObserversRegistry,
  type ConnectionObserver,
  type UsableConnection,
} from '../../connections/records/connection-observers.registry.ts';
import type { JsonObject } from '../../infra/runtime/json.ts';
import { namedUuid } from '../../infra/runtime/named-uuid.ts';
import type { ActionContext } from '../../tasks/definition/action.registry.ts';
import { unmasked } from '../../tasks/inbox/hidden-values.ts';
import type { NewQuestion } from '../../tasks/inbox/new-question.ts';
import { RunQuestionsService } from '../../tasks/inbox/run-questions.service.ts';
import { REJECTED, StepError } from '../../tasks/runs/step-error.ts';
import { StepWait } from '../../tasks/waits/step-wait.ts';
import type { CallAnswer, CallNeed } from '../calls/call-pause.ts';
import { toConsent, type CallConsent } from './call-approval.ts';
import { addressOf, approversOf } from './recipients.ts';

/** How long a step waits for a person. */
const WAIT = 'P30D';

type StepContext = Pick<ActionContext, 'stepKey' | 'owner'>;

/** A call of a step after the decisions of people. */
export interface DecidedStep {
  input: JsonObject;
  consent?: CallConsent;
  answer?: CallAnswer;
}

/** What the calls of steps need from people. The step waits without a process, and is executed again after the answer. */
@Injectable()
export class StepPausesService implements ConnectionObserver, OnModuleInit {
  constructor(
    private readonly questions: RunQuestionsService,
    private readonly connections: ConnectionObserversRegistry,
  ) {}

  onModuleInit(): void {
    this.connections.register(this);
  }

  /** Steps that wait for the connection make their calls again. */
  usable(tx: EntityManager, connection: UsableConnection): Promise<void> {
    return this.questions.connected(tx, connection);
  }

  /**
   * What people have decided, each about what those before have made of the call. An approval holds for the same call in all
   * executions of the step that the run makes by itself. Throws a `StepError` if this execution was rejected, or nobody has answered.
   */
  async decide({ stepKey }: StepContext, input: JsonObject): Promise<DecidedStep> {
    let decided: DecidedStep = { input };
    for (const asked of await this.questions.list(placeOf(stepKey))) {
      const { need, purpose, status, approved, note, edited, values, answeredBy } = asked;
      const isOwn = need?.stepKey === stepKey;
      if (status === 'EXPIRED' && isOwn)
        throw new StepError('QUESTION_EXPIRED', 'Nobody has decided about the call in time');
      if (status !== 'ANSWERED' || need === null) continue;
      if (purpose === 'form') {
        const given = approved === true ? (values ?? {}) : null;
        if (isOwn) decided = { ...decided, answer: { state: need.state ?? '', values: given } };
      } else if (approved !== true) {
        if (isOwn) throw new StepError(REJECTED, explainRejection(purpose, note));
      } else if (need.call && need.method && answeredBy !== null) {
        const { id: methodId, version: methodVersion } = need.method;
        const changed = edited && (unmasked(edited, need.call.arguments, decided.input) as JsonObject);
        const consent = toConsent({ ...need.call, methodId, methodVersion }, changed, answeredBy);
        decided = { ...decided, input: changed ?? decided.input, consent };
      }
    }
    return decided;
  }

  /** Asks, and has the step executed again after the answer. */
  wait({ stepKey, owner }: StepContext, need: CallNeed): StepWait {
    const { to, recipients, exceptUserId } = addressOf(approversOf(need), owner.userId);
    const question: NewQuestion = {
      interactionId: placeOf(stepKey),
      recipients: to,
      exceptUserId,
      approval: true,
      message: need.message,
      ...describe(need, { requesterId: owner.userId, stepKey }),
    };
    return new StepWait(
      { kind: 'QUESTION', for: WAIT, repeats: true },
      { store: (tx, key) => this.questions.ask(tx, key, question, recipients) },
    );
  }
}

/** All executions of a step that the run makes by itself share their questions: the key ends in the number of the execution. */
function placeOf(stepKey: string): string {
  return namedUuid('needs of calls', stepKey.replace(/\d+$/, ''));
}

function describe(
  need: CallNeed,
  by: { requesterId: string; stepKey: string },
): Pick<NewQuestion, 'fields' | 'purpose' | 'need'> {
  switch (need.kind) {
    case 'APPROVAL': {
      const { methodId: id, methodVersion: version, ...call } = need.call;
      return { purpose: 'approval', fields: [], need: { ...by, call, method: { id, version } } };
    }
    case 'CONNECTION':
      return { purpose: 'connection', fields: [], need: { ...by, path: need.path } };
    case 'FORM':
      return { purpose: 'form', fields: need.fields, need: { ...by, state: need.state } };
  }
}

function explainRejection(purpose: string, note: string | null): string {
  const what = purpose === 'approval' ? 'The call was rejected' : 'The account was not connected';
  return note === null ? what : `${what}: ${note}`;
}
