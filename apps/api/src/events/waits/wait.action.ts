import { Injectable } from '@nestjs/common';
import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import type { EventFilter, Trigger } from '@platform/contracts';
import type { Sql } from '../../infra/database/rows.ts';
import { Database } from '../../infra/database/database.ts';
import { AppError } from '../../infra/errors/app-error.ts';
import { isInstant } from '../../infra/requests/instant.ts';
import { isObject } from '../../infra/runtime/json.ts';
import { exampleOf } from '../../infra/schemas/schema-example.ts';
import type { Action, ActionContext } from '../../tasks/definition/action.registry.ts';
import { checkName, RunsSteps } from '../../tasks/definition/step-kinds.ts';
import { integerProblem } from '../../tasks/definition/step-fields.ts';
import { StepSchema } from '../../tasks/definition/step.schema.ts';
import { StepError } from '../../tasks/runs/step-error.ts';
import { hasTemplate } from '../../tasks/templates/template.ts';
import { RunWaitsService } from '../../tasks/waits/run-waits.service.ts';
import { StepWait } from '../../tasks/waits/step-wait.ts';
import { lockSubscriptions } from '../catalog/subscription-lock.store.ts';
import { EmissionService } from '../emission/emission.service.ts';
import { checkFilter } from '../subscriptions/filter.ts';
import { keyOfFilter, NO_KEY } from './wait-key.ts';

const DAY_MS = 24 * 3_600_000;
const MAX_WAIT_MS = 366 * DAY_MS;
/** Years, months, weeks, and days; hours, minutes, and seconds. */
const DURATION =
  /^P(?=.)(?:(\d{1,2})Y)?(?:(\d{1,3})M)?(?:(\d{1,3})W)?(?:(\d{1,4})D)?(?:T(?=.)(?:(\d{1,5})H)?(?:(\d{1,6})M)?(?:(\d{1,8}(?:\.\d{1,3})?)S)?)?$/;

class WaitedEventDto {
  applicationIdentifier!: string;
  event!: string;
  /** As that of a subscription. May contain templates. Default: any event. */
  @ApiPropertyOptional({ type: 'object', additionalProperties: true, nullable: true })
  filter?: EventFilter | null;
  /** After so many milliseconds the step ends with `timedOut: true`. Default: a year. */
  @ApiPropertyOptional({ type: 'integer', minimum: 1, maximum: MAX_WAIT_MS })
  timeoutMs?: number;
}

class WaitStepDto extends StepSchema {
  @ApiProperty({ enum: ['wait'] })
  kind!: 'wait';
  /**
   * An ISO 8601 duration of at most a year, such as `PT30M` or `P3D`. One of `for`, `until`, and `event` must be given. May
   * be a template.
   */
  for?: string;
  /** An ISO 8601 time with an offset, at most a year from now. One that has passed ends the step at once. May be a template. */
  until?: string;
  /** The first event that fits and is emitted after the step has begun ends it. */
  event?: WaitedEventDto;
}

const isGiven = <T>(value: T): value is NonNullable<T> => value !== undefined && value !== null;

/** Returns what is wrong with a duration. */
function durationProblem(value: unknown): string | null {
  const parts = typeof value === 'string' ? DURATION.exec(value) : null;
  if (parts === null) return 'must be an ISO 8601 duration, such as PT30M or P3D';
  const [years = 0, months = 0, weeks = 0, days = 0, hours = 0, minutes = 0, seconds = 0] = parts
    .slice(1)
    .map((part: string | undefined) => Number(part ?? 0));
  const ms =
    (years * 366 + months * 31 + weeks * 7 + days) * DAY_MS + ((hours * 60 + minutes) * 60 + seconds) * 1_000;
  return ms <= MAX_WAIT_MS ? null : 'must be at most a year';
}

/** Returns what is wrong with a time at which a wait ends. */
function instantProblem(value: unknown, now = Date.now()): string | null {
  if (!isInstant(value)) return 'must be an ISO 8601 time with an offset, such as 2030-01-31T09:00:00Z';
  return Date.parse(value) - now <= MAX_WAIT_MS ? null : 'must be at most a year from now';
}

const orTemplate = (check: (value: unknown) => string | null) => (value: unknown) =>
  !isGiven(value) || (typeof value === 'string' && hasTemplate(value)) ? null : check(value);

function checkEvent(value: unknown): string | null {
  if (!isGiven(value)) return null;
  if (!isObject(value)) return 'must be an object with applicationIdentifier and event';
  const unknown = Object.keys(value).find((key) => !EVENT_FIELDS.includes(key));
  if (unknown !== undefined) return `must not have the field ${JSON.stringify(unknown)}`;
  for (const field of ['applicationIdentifier', 'event']) {
    const problem = checkName(value[field]);
    if (problem !== null) return `has a ${field} that ${problem}`;
  }
  const [filterProblem] = checkFilter(value.filter, 'filter');
  if (filterProblem !== undefined) return `has a filter that is wrong: ${filterProblem}`;
  const problem = isGiven(value.timeoutMs) ? integerProblem(value.timeoutMs, 1, MAX_WAIT_MS) : null;
  return problem === null ? null : `has a timeoutMs that ${problem}`;
}

const EVENT_FIELDS = ['applicationIdentifier', 'event', 'filter', 'timeoutMs'];

/** Lets a run wait for a time or an event, without a process. */
@Injectable()
@RunsSteps<WaitStepDto>({
  kind: 'wait',
  schema: WaitStepDto,
  fields: { for: orTemplate(durationProblem), until: orTemplate(instantProblem), event: checkEvent },
  input: ['for', 'until', 'event'],
  acts: false,
  simulated: 'without-effects',
  output: ['endedAt', 'timedOut', 'trigger'],
})
export class WaitAction implements Action<WaitStepDto> {
  constructor(
    private readonly database: Database,
    private readonly emission: EmissionService,
    private readonly waits: RunWaitsService,
  ) {}

  async validate(
    sql: Sql,
    { spaceId }: { spaceId: string },
    step: WaitStepDto,
    path: string,
  ): Promise<string[]> {
    const given = [step.for, step.until, step.event].filter(isGiven);
    if (given.length !== 1) return [`${path} must have one of for, until, and event`];
    if (!step.event) return [];
    try {
      await this.emission.getRegistered(sql, spaceId, step.event.applicationIdentifier, step.event.event);
      return [];
    } catch (error) {
      if (error instanceof AppError && error.code === 'NOT_FOUND') return [`${path}.event: ${error.message}`];
      throw error;
    }
  }

  async example(spaceId: string, { event: awaited }: WaitStepDto): Promise<object> {
    const now = new Date().toISOString();
    if (!awaited) return { endedAt: now };
    const { applicationIdentifier, event } = awaited;
    const found = await this.emission.getRegistered(this.database, spaceId, applicationIdentifier, event);
    const payload = exampleOf(found.payloadSchema);
    const trigger = {
      event,
      payload: isObject(payload) ? payload : {},
      source: 'app',
      id: '00000000-0000-0000-0000-000000000000',
      emittedAt: now,
      spaceId,
      actorUserId: null,
      causationId: null,
      depth: 0,
    } satisfies Trigger;
    return { timedOut: false, trigger };
  }

  async run({ spaceId, step, definition }: ActionContext<WaitStepDto>): Promise<StepWait> {
    const { for: duration, until } = step;
    if (isGiven(duration)) return timeWait('for', durationProblem(duration), { for: duration });
    if (isGiven(until)) return timeWait('until', instantProblem(until), { until: new Date(until) });
    const { applicationIdentifier = '', event = '', filter = null, timeoutMs } = step.event ?? {};
    const { applicationId } = await this.emission.getRegistered(
      this.database,
      spaceId,
      applicationIdentifier,
      event,
    );
    const [problem] = checkFilter(filter, 'filter');
    if (problem !== undefined) throw new StepError('WAIT_INVALID', `The ${problem}`);
    const ends = timeoutMs ? `PT${timeoutMs / 1_000}S` : 'P1Y';
    const awaited = { applicationId, event, filter, ...keyOfFilter(filter, definition?.event?.filter) };
    return new StepWait(
      { kind: 'EVENT', for: ends, event: awaited },
      {
        before: async (tx) => {
          // No dispatch that does not see the wait may still handle an event that is emitted after it.
          await lockSubscriptions(tx, spaceId);
          if (!(await this.waits.mayWaitBy(tx, spaceId, awaited))) Object.assign(awaited, NO_KEY);
        },
      },
    );
  }
}

function timeWait(field: string, problem: string | null, end: { for?: string; until?: Date }): StepWait {
  if (problem !== null) throw new StepError('WAIT_INVALID', `${field} ${problem}`);
  return new StepWait({ kind: 'TIME', ...end });
}
