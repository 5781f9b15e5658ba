import { Injectable } from '@nestjs/common';
import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { IdentityService } from '../../auth/people/identity.service.ts';
import { isText } from '../../infra/requests/text.ts';
import type { Sql } from '../../infra/database/rows.ts';
import type { EntityManager } from 'typeorm';
import type { Action, ActionContext } from '../definition/action.registry.ts';
import { integerProblem } from '../definition/step-fields.ts';
import { checkGiven, RunsSteps } from '../definition/step-kinds.ts';
import { StepWait } from '../waits/step-wait.ts';
import { StepSchema } from '../definition/step.schema.ts';
import { StepError } from '../runs/step-error.ts';
import { ADMINS } from './new-question.ts';
import { RunQuestionsService } from './run-questions.service.ts';
import {
  exampleAnswer,
  fieldsProblem,
  MAX_FIELDS,
  namedUsers,
  recipientsProblem,
} from './question-fields.ts';
import { QuestionFieldDto, RECIPIENTS_SCHEMA, type RecipientsDto } from './question.schema.ts';

const MAX_MESSAGE = 10_000;
const TIMEOUT = { min: 1_000, max: 366 * 24 * 3_600_000 };

/**
 * Asks people, and waits without occupying a process. Its output is `{ values, approved, note, answeredBy, answeredAt }`, or
 * `{ timedOut: true }`.
 */
class AskStepDto extends StepSchema {
  @ApiProperty({ enum: ['ask'] })
  kind!: 'ask';
  /**
   * At most 10,000 characters. May contain templates.
   * @example 'Refund {{trigger.payload.amount}} to {{trigger.payload.customer}}?'
   */
  message!: string;
  /** What to enter. Default: nothing. */
  @ApiPropertyOptional({ type: () => QuestionFieldDto, isArray: true, maxItems: MAX_FIELDS, nullable: true })
  fields?: QuestionFieldDto[] | null;
  /** Who can answer. Default: `owner`, the owner of the task. */
  @ApiPropertyOptional({ ...RECIPIENTS_SCHEMA, nullable: true })
  to?: RecipientsDto | null;
  /** Whether the answer approves or rejects. Default: false. */
  @ApiPropertyOptional({ type: 'boolean', nullable: true })
  approval?: boolean | null;
  /** How long it waits for an answer: 1 s to 366 days. Default: without end. */
  @ApiPropertyOptional({ type: 'integer', minimum: TIMEOUT.min, maximum: TIMEOUT.max, nullable: true })
  declare timeoutMs?: number;
}

/** Questions to people. */
@Injectable()
@RunsSteps<AskStepDto>({
  kind: 'ask',
  schema: AskStepDto,
  fields: {
    message: (value) =>
      isText(value) && value.trim() !== '' && value.length <= MAX_MESSAGE
        ? null
        : `must be a text of 1 to ${MAX_MESSAGE} characters`,
    fields: checkGiven(fieldsProblem),
    to: checkGiven(recipientsProblem),
    approval: checkGiven((value) => (typeof value === 'boolean' ? null : 'must be true or false')),
  },
  timeout: (value) => integerProblem(value, TIMEOUT.min, TIMEOUT.max),
  input: 'message',
  acts: false,
  simulated: 'always',
  output: ['values', 'approved', 'note', 'answeredBy', 'answeredAt', 'timedOut'],
})
export class AskAction implements Action<AskStepDto> {
  constructor(
    private readonly identity: IdentityService,
    private readonly questions: RunQuestionsService,
  ) {}

  async validate(
    sql: Sql,
    { spaceId }: { spaceId: string },
    { to = null }: AskStepDto,
    path: string,
  ): Promise<string[]> {
    const users = to === null ? null : namedUsers(to);
    const members = await this.membersOf(spaceId, users ?? [], sql as EntityManager);
    return (users ?? [])
      .filter((id) => !members.includes(id))
      .map((id) => `${path}.to.userIds must name members of the space: ${id} is not one`);
  }

  example(_spaceId: string, { fields, approval }: AskStepDto): object {
    return {
      values: Object.fromEntries((fields ?? []).map((field) => [field.key, exampleAnswer(field)])),
      approved: approval === true ? true : null,
      note: null,
      answeredBy: null,
      answeredAt: new Date().toISOString(),
    };
  }

  async run({ spaceId, owner, step }: ActionContext<AskStepDto>): Promise<unknown> {
    const { fields = null, timeoutMs = null } = step;
    const to = step.to ?? 'owner';
    const message = toText(step.message);
    if (message.trim() === '')
      throw new StepError('STEP_FAILED', 'The message is empty: what its templates name has no value');
    if (message.length > MAX_MESSAGE)
      throw new StepError('STEP_FAILED', `The message has more than ${MAX_MESSAGE} characters`);
    const recipients = await this.findRecipients(spaceId, owner.userId, to);
    const question = {
      recipients: to,
      message,
      fields: fields ?? [],
      approval: step.approval ?? false,
    };
    const until = timeoutMs === null ? {} : { for: `PT${timeoutMs / 1_000}S` };
    return new StepWait(
      { kind: 'QUESTION', ...until },
      { store: (tx, key) => this.questions.ask(tx, key, question, recipients) },
    );
  }

  private async findRecipients(spaceId: string, ownerUserId: string, to: RecipientsDto): Promise<string[]> {
    if (to === 'owner') return [ownerUserId];
    if (to === 'admins') return [ADMINS];
    const members = await this.membersOf(spaceId, namedUsers(to) ?? []);
    if (members.length === 0)
      throw new StepError(
        'NO_RECIPIENTS',
        'Nobody to whom the question is addressed is a member of the space',
      );
    return members;
  }

  private async membersOf(
    spaceId: string,
    userIds: readonly string[],
    tx?: EntityManager,
  ): Promise<string[]> {
    const members: string[] = [];
    for (const id of userIds) if (await this.identity.isMember(spaceId, id, tx)) members.push(id);
    return members;
  }
}

/** A template on its own keeps the type of its value. */
function toText(message: unknown): string {
  return typeof message === 'string' ? message : JSON.stringify(message);
}
