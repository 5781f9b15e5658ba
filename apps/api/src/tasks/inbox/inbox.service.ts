import { Injectable } from '@nestjs/common';
import type { AnswerQuestionRequest, InboxCount, Page, Question, QuestionListing } from '@platform/contracts';
import type { EntityManager } from 'typeorm';
import { recordAudit } from '../../auth/audit/audit.ts';
import { IdentityService } from '../../auth/people/identity.service.ts';
import type { AuditedCall } from '../../auth/principals/caller.decorator.ts';
import type { UserPrincipal } from '../../auth/principals/principal.ts';
import { missingOrForeign, requireUuid } from '../../auth/principals/resource-scope.ts';
import { Database } from '../../infra/database/database.ts';
import { readTime } from '../../infra/database/rows.ts';
import { AppError, conflict, forbidden, invalidFor, notFound } from '../../infra/errors/app-error.ts';
import { Cursors } from '../../infra/requests/cursors.ts';
import { shortenText } from '../../infra/runtime/shorten-text.ts';
import { mayManage } from '../definition/task-access.ts';
import { WaitWorker } from '../schedule/wait.worker.ts';
import { completeWait } from '../waits/waits.store.ts';
import type { InboxQueryDto } from './inbox.dto.ts';
import { describeCall, toQuestion, toQuestionListing } from './inbox-responses.ts';
import { maskProblem } from './hidden-values.ts';
import {
  countOpen,
  findQuestion,
  listQuestions,
  storeAnswer,
  type Addressee,
  type Answer,
  type QuestionRow,
} from './inbox.store.ts';
import { countOfValuesProblem, readValues } from './question-fields.ts';
import { ADMINS } from './new-question.ts';
import { QuestionEntity } from './question.entity.ts';
import { TurnAnswersRegistry } from './turn-answers.registry.ts';

/** The badge shows no more. */
const MAX_COUNT = 100;

/** What runs ask people, and their answers. */
@Injectable()
export class InboxService {
  constructor(
    private readonly database: Database,
    private readonly cursors: Cursors,
    private readonly identity: IdentityService,
    private readonly waits: WaitWorker,
    private readonly turns: TurnAnswersRegistry,
  ) {}

  /** Lists the questions to the caller: open ones oldest first, others newest first. */
  async list(caller: UserPrincipal, query: InboxQueryDto): Promise<Page<QuestionListing>> {
    const { spaceId, userId } = caller;
    const { limit, cursor, status = 'OPEN' } = query;
    const filter = { inboxOf: spaceId, userId, role: caller.role, status };
    const after = this.cursors.idAfter(cursor, filter);
    const found = await listQuestions(this.database, spaceId, addressee(caller), status, after, limit + 1);
    const people = await this.identity.findUsersByIds(found.flatMap(peopleOf));
    return this.cursors.page(
      found,
      limit,
      filter,
      ({ id }) => [id],
      (question) => toQuestionListing(question, people),
    );
  }

  async count(caller: UserPrincipal): Promise<InboxCount> {
    return { open: await countOpen(this.database, caller.spaceId, addressee(caller), MAX_COUNT) };
  }

  /** Returns a question to the caller, or of a run that the caller manages. */
  async get(caller: UserPrincipal, id: string): Promise<Question> {
    return this.toQuestion(await this.find(caller, id));
  }

  /** Answers a question: once, however many answer it. Whoever is late learns who answered what. */
  async answer(call: AuditedCall, id: string, request: AnswerQuestionRequest): Promise<Question> {
    const { by: caller, requestId } = call;
    const question = await this.find(caller, id);
    if (!question.isAddressed) throw forbidden(`Question ${id} is addressed to others`);
    if (question.status !== 'OPEN') throw await this.describeClosed(question);
    const given = readAnswer(question, request);
    const { runId, scope } = question;
    if (runId === null || scope === null) return this.answerTurn(call, question, given);
    const answerer = (await this.identity.findUsersByIds([caller.userId])).get(caller.userId);
    const store = async (tx: EntityManager) => {
      const answer: Answer = { ...given, answeredBy: caller.userId, answeredAt: await readTime(tx) };
      const { taskId, taskName } = question;
      const output = toOutput(question, answer, answerer?.name ?? '');
      // First the wait, then the question, as whatever else ends the wait.
      if (!(await completeWait(tx, { runId, scope }, output))) throw new Closed();
      if (!(await storeAnswer(tx, question.id, answer))) throw new Closed();
      const details = {
        name: taskName,
        taskId,
        runId,
        ...(question.approval && { approved: given.approved }),
        ...describeCall(question, given),
      };
      const entry = { action: 'question.answer' as const, targetType: 'question', targetId: question.id };
      await recordAudit(tx, caller, { ...entry, details, requestId });
      return answer.answeredAt;
    };
    const committed = async (at: Date) => {
      const { answeredBy, answeredAt } = await this.find(caller, id);
      return answeredBy === caller.userId && answeredAt?.getTime() === at.getTime();
    };
    try {
      await this.database.transaction(store, { committed });
    } catch (error) {
      if (!(error instanceof Closed)) throw error;
      throw await this.describeClosed(await this.find(caller, id));
    }
    this.waits.wake();
    return this.get(caller, id);
  }

  /** The turn goes on as its user. */
  private async answerTurn(
    call: AuditedCall,
    question: QuestionRow,
    given: Pick<Answer, 'values' | 'approved' | 'note' | 'edited'>,
  ): Promise<Question> {
    const { by: caller } = call;
    try {
      await this.turns.get().answer(call, question, { ...given, answeredBy: caller.userId });
    } catch (error) {
      if (!(error instanceof AppError) || error.code !== 'CONFLICT') throw error;
      const current = await this.find(caller, question.id);
      throw current.status === 'OPEN' ? error : await this.describeClosed(current);
    }
    return this.get(caller, question.id);
  }

  /** Throws FORBIDDEN for a question of another space, NOT_FOUND for one that the caller may not see. */
  private async find(caller: UserPrincipal, id: string): Promise<QuestionRow> {
    const label = `Question ${id}`;
    const { spaceId } = caller;
    const found = await findQuestion(this.database, spaceId, requireUuid(id, label), addressee(caller));
    if (found === null) throw await missingOrForeign(this.database.manager, QuestionEntity, { id }, label);
    const { isAddressed, taskOwnerUserId } = found;
    const isManaged = taskOwnerUserId !== null && mayManage(caller, { ownerUserId: taskOwnerUserId });
    if (!isAddressed && !isManaged) throw notFound(`${label} does not exist`);
    return found;
  }

  private async toQuestion(question: QuestionRow): Promise<Question> {
    return toQuestion(question, await this.identity.findUsersByIds(peopleOf(question)));
  }

  private async describeClosed(question: QuestionRow): Promise<AppError> {
    const { id, status, answeredBy, answeredAt, approved } = question;
    if (status === 'CANCELLED')
      return conflict(
        `Question ${id} can no longer be answered: its ${question.runId === null ? 'turn' : 'run'} has ended or gone on`,
      );
    if (status !== 'ANSWERED' || answeredBy === null)
      return conflict(`Question ${id} expired${formatSince(question.expiresAt)} without an answer`);
    const { name = answeredBy } = (await this.identity.findUsersByIds([answeredBy])).get(answeredBy) ?? {};
    const decision = approved === null ? [] : [approved ? 'approved' : 'rejected'];
    const values = Object.entries(question.values ?? {}).map(
      ([key, value]) => `${key}: ${shortenText(String(value), 200)}`,
    );
    const note = question.note === null ? [] : [`note: ${shortenText(question.note, 200)}`];
    const what = [...decision, ...values, ...note].join('; ');
    return conflict(
      `Question ${id} was answered by ${name}${formatSince(answeredAt)}${what === '' ? '' : `: ${shortenText(what, 2_000)}`}`,
    );
  }
}

/** The question was closed since it was read. */
class Closed extends Error {}

function addressee({ userId, role }: UserPrincipal): Addressee {
  return { userId, recipients: role === 'ADMIN' ? [userId, ADMINS] : [userId] };
}

function peopleOf({ answeredBy, need }: QuestionRow): string[] {
  return [answeredBy, need?.requesterId ?? null].filter((id) => id !== null);
}

/** Throws VALIDATION_ERROR that names every field with a wrong value. */
function readAnswer(
  question: QuestionRow,
  request: AnswerQuestionRequest,
): Pick<Answer, 'values' | 'approved' | 'note' | 'edited'> {
  const { approval, fields, purpose } = question;
  const approved = request.approved ?? null;
  const { values, problems } = readValues(fields, request.values ?? {}, approved === false);
  const countProblem = problems.length > 0 ? null : countOfValuesProblem(question, values);
  if (countProblem !== null) problems.push(countProblem);
  if (approval && approved === null) problems.unshift('approved is required: the question asks for approval');
  if (!approval && approved !== null)
    problems.unshift('approved must not be given: the question asks for no approval');
  const edited = request.arguments ?? null;
  if (edited !== null && (purpose !== 'approval' || approved !== true))
    problems.push('arguments must be given only with the approval of a call');
  const lost = edited && maskProblem(edited, question.need?.call?.arguments);
  if (lost !== null) problems.push(lost);
  if (problems.length > 0) throw invalidFor(problems);
  return { values, approved, note: request.note ?? null, edited };
}

/** The output of the step that asked. */
function toOutput(
  { approval }: QuestionRow,
  { values, approved, note, answeredBy, answeredAt }: Answer,
  name: string,
): object {
  return {
    values,
    ...(approval && { approved }),
    ...(note !== null && { note }),
    answeredBy: { id: answeredBy, name },
    answeredAt: answeredAt.toISOString(),
  };
}

const formatSince = (time: Date | null) => (time === null ? '' : ` at ${time.toISOString()}`);
