import { Injectable, Logger } from '@nestjs/common';
import type { EmissionError, EmitBatchResponse } from '@platform/contracts';
import { RateLimits } from '../../auth/limits/rate-limits.ts';
import type { ApplicationPrincipal } from '../../auth/principals/principal.ts';
import { invalidFor } from '../../infra/errors/app-error.ts';
import { asAppError } from '../../infra/errors/error.filter.ts';
import { BodyPipe } from '../../infra/requests/validation.pipe.ts';
import { EmissionService } from './emission.service.ts';
import { EmitDto, readPlainEmit } from './emit.dto.ts';

const logger = new Logger('BatchEmissions');

@Injectable()
export class BatchEmissionsService {
  private readonly pipe = new BodyPipe();

  constructor(
    private readonly emission: EmissionService,
    private readonly limits: RateLimits,
  ) {}

  /**
   * Emits events, each as if alone, and returns their outcomes in the same order. `inexactNumbers` are those of the body.
   * Throws if the database is unavailable.
   */
  async emit(
    principal: ApplicationPrincipal,
    events: readonly unknown[],
    inexactNumbers: readonly string[],
  ): Promise<EmitBatchResponse> {
    const problems = problemsByEvent(inexactNumbers);
    const outcomes = await this.emission.emitAll(principal, [...events.entries()], ([i, event]) => {
      // The request has counted as one.
      if (i > 0) this.limits.count('emit', principal);
      return this.read(event, problems.get(i) ?? []);
    });
    const items = outcomes.map((outcome) =>
      outcome.status === 'fulfilled' ? outcome.value : toEmissionError(outcome.reason),
    );
    const [first] = outcomes;
    if (first?.status === 'rejected' && items.every((item) => 'code' in item && item.code === 'UNAVAILABLE'))
      throw first.reason;
    return { items };
  }

  /** Checks an event like the body of a request that emits it alone. */
  private async read(event: unknown, problems: readonly string[]): Promise<EmitDto> {
    if (problems.length > 0) throw invalidFor([...problems]);
    const plain = readPlainEmit(event);
    if (plain !== null) return plain;
    return (await this.pipe.transform(event, { type: 'body', metatype: EmitDto })) as EmitDto;
  }
}

/** Groups problems of `events[3].payload.n` by the index of their event, and names them as if it were alone. */
function problemsByEvent(problems: readonly string[]): Map<number, string[]> {
  const grouped = new Map<number, string[]>();
  for (const problem of problems) {
    const [, index, rest] = /^events\[(\d+)\]\.(.*)$/s.exec(problem) ?? [];
    if (rest === undefined) continue;
    const others = grouped.get(Number(index));
    if (others === undefined) grouped.set(Number(index), [rest]);
    else others.push(rest);
  }
  return grouped;
}

function toEmissionError(reason: unknown): EmissionError {
  const { code, body, retryAfter } = asAppError(reason);
  if (code === 'SERVER_ERROR') logger.error({ err: reason });
  return { ...body, ...(retryAfter !== undefined && { retryAfter: Math.ceil(retryAfter) }) };
}
