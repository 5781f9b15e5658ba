import { Injectable } from '@nestjs/common';
import { invalid } from '../../infra/errors/app-error.ts';
import { BodyPipe } from '../../infra/requests/validation.pipe.ts';
import { ContentsJobDto, InputsJobDto } from './jobs.dto.ts';

/** Validates the body of a job by its kind: `contents`, as in a chat, or `inputs`, as in an execution. */
@Injectable()
export class JobBodyPipe extends BodyPipe {
  override transform(value: unknown): Promise<unknown> {
    const body = (value ?? {}) as Record<string, unknown>;
    const [kind, ...more] = ['contents', 'inputs'].filter((key) => (body[key] ?? null) !== null);
    if (kind === undefined || more.length > 0)
      throw invalid('The body must contain either contents, as in a chat, or inputs, as in an execution');
    const metatype = kind === 'contents' ? ContentsJobDto : InputsJobDto;
    return super.transform(value, { type: 'body', metatype });
  }
}
