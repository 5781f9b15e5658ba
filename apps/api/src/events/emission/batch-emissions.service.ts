import { Injectable, Logger } from '@nestjs/common';
import type { EmissionError, EmitBatchResponse } from '@platform/contracts';
import { RateLimits } from '../../auth/limits/rate-limits.ts';
import type { ApplicationPrincipal } from '../../auth/principals/principal.ts';
import { invalidFor } from '../../infra/errors/app-error.ts';
import { asAppError } from '../../infra/errors/error.filter.ts';
import { BodyPipe } from '../../infra/requests/validation.pipe.ts';
import { payloadProblem } from '../catalog/payload-limits.ts';
import { EmissionService } from './emission.service.ts';
import { EmitDto } from './emit.dto.ts';

const logger = new Logger('BatchEmissions');

@Injectable()
export class BatchEmissionsService {
  private readonly pipe = new BodyPipe();

  constructor(
    private readonly emission: EmissionService,
    private readonly limits: RateLimits,
  ) {}

  /** Emits events, each as if alone, and returns their outcomes in the same order. Throws if the database is unavailable. */
  async emit(principal: ApplicationPrincipal, events: readonly unknown[]): Promise<EmitBatchResponse> {
    const outcomes = await this.emission.emitAll(principal, [...events.entries()], ([i, event]) => {
      // The request has counted as one.
      if (i > 0) this.limits.count('emit', principal);
      return this.read(event);
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
  private async read(event: unknown): Promise<EmitDto> {
    const request = (await this.pipe.transform(event, { type: 'body', metatype: EmitDto })) as EmitDto;
    const problem = payloadProblem(request.payload);
    if (problem !== null) throw invalidFor([problem]);
    return request;
  }
}

function toEmissionError(reason: unknown): EmissionError {
  const { code, body, retryAfter } = asAppError(reason);
  if (code === 'SERVER_ERROR') logger.error({ err: reason });
  return { ...body, ...(retryAfter !== undefined && { retryAfter: Math.ceil(retryAfter) }) };
}
