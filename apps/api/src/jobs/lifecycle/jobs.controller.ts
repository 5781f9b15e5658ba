import { Body, Controller, Get, Headers, HttpCode, Post, Query, Req, Res } from '@nestjs/common';
import { ApiBody, ApiExtraModels, ApiHeader, ApiParam, ApiResponse, getSchemaPath } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { Caller } from '../../auth/principals/caller.decorator.ts';
import type { UserPrincipal } from '../../auth/principals/principal.ts';
import { Access } from '../../infra/routes/access.ts';
import { invalid } from '../../infra/errors/app-error.ts';
import { BodyLimit } from '../../infra/routes/body-limit.ts';
import { ApiAttachedStream } from '../../turns/answers/api-stream.decorator.ts';
import { attachPosition, SegmentReaderService } from '../../turns/answers/segment-reader.service.ts';
import { AttachDto } from '../../turns/answers/attach.schema.ts';
import { TurnsService } from '../../turns/lifecycle/turns.service.ts';
import { RequiresJobAccess, InvokesAgentInBody, RequestedJob } from './job-access.guard.ts';
import { JobBodyPipe } from './job-body.pipe.ts';
import { JobCreationService } from './job-creation.service.ts';
import type { JobRow } from '../records/job-records.service.ts';
import { parseJobRequest } from './job-request.ts';
import { ContentsJobDto, InputsJobDto, JobDto, JobPageDto, JobQueryDto, JobWaitDto } from './jobs.dto.ts';
import { computeVersion } from '../records/job-version.ts';
import { JobsService } from './jobs.service.ts';

const ETag = { description: 'The version of the job.', schema: { type: 'string' } };

/** Adds the version of the job to the response. */
function withETag(job: JobDto, res: Response): JobDto {
  res.setHeader('ETag', computeVersion(job));
  return job;
}

@Controller('agent-jobs')
export class JobsController {
  constructor(
    private readonly creation: JobCreationService,
    private readonly jobs: JobsService,
    private readonly turns: TurnsService,
    private readonly reader: SegmentReaderService,
  ) {}

  /** Starts an asynchronous agent invocation. Returns 200 with the existing job if the key was used before. */
  @Post()
  @HttpCode(202)
  @BodyLimit('values')
  @InvokesAgentInBody()
  @ApiExtraModels(ContentsJobDto, InputsJobDto)
  @ApiHeader({ name: 'Idempotency-Key', description: 'Alternative to `idempotencyKey`.', required: false })
  @ApiResponse({ status: 200, description: 'The existing job.', type: JobDto })
  @ApiResponse({ status: 202, description: 'A new job.', type: JobDto })
  @ApiBody({
    schema: { oneOf: [{ $ref: getSchemaPath(ContentsJobDto) }, { $ref: getSchemaPath(InputsJobDto) }] },
  })
  async create(
    @Caller() caller: UserPrincipal,
    @Body(JobBodyPipe) body: ContentsJobDto | InputsJobDto,
    @Headers('Idempotency-Key') key: string | undefined,
    @Req() req: Request,
    @Res({ passthrough: true }) res: Response,
  ): Promise<JobDto> {
    if (req.agent === undefined) throw invalid('agentId must be a string');
    const request = parseJobRequest(body, key, caller, req.agent);
    const { job, isNew } = await this.creation.create(caller, req.agent, request, req.requestId);
    if (!isNew) res.status(200);
    return withETag(job, res);
  }

  /** Lists the caller's jobs without their results, newest first. */
  @Get()
  @Access('member', 'invoke')
  list(@Caller() caller: UserPrincipal, @Query() query: JobQueryDto): Promise<JobPageDto> {
    return this.jobs.list(caller, query);
  }

  /**
   * Returns a job with an `ETag` of all of its fields. With `waitMs` and `If-None-Match` it waits until the job has a
   * different version, and returns 304 if it keeps the same one. Without `If-None-Match` it does not wait.
   */
  @Get(':jobId')
  @RequiresJobAccess()
  @ApiParam({ name: 'jobId', type: String })
  @ApiHeader({
    name: 'If-None-Match',
    description: 'The last `ETag` that the client received.',
    required: false,
  })
  @ApiResponse({ status: 200, description: 'The current state of the job.', type: JobDto, headers: { ETag } })
  @ApiResponse({ status: 304, description: 'The job has not changed.', headers: { ETag } })
  async get(
    @Caller() caller: UserPrincipal,
    @RequestedJob() row: JobRow,
    @Query() { waitMs, include }: JobWaitDto,
    @Headers('If-None-Match') seen: string | undefined,
    @Res({ passthrough: true }) res: Response,
  ): Promise<JobDto | undefined> {
    const disconnected = new AbortController();
    res.once('close', () => disconnected.abort());
    const wait = { waitMs: waitMs ?? 0, seen, disconnected: disconnected.signal };
    const { job, isSeen } = await this.jobs.describe(caller, row, wait, include === 'input');
    withETag(job, res);
    if (!isSeen) return job;
    res.status(304);
    return undefined;
  }

  /** Requests the cancellation of a job. Output so far is kept and charged. Has no effect if the job has ended. */
  @Post(':jobId/cancel')
  @HttpCode(202)
  @RequiresJobAccess()
  @ApiParam({ name: 'jobId', type: String })
  async cancel(
    @Caller() caller: UserPrincipal,
    @RequestedJob() job: JobRow,
    @Res({ passthrough: true }) res: Response,
  ): Promise<JobDto> {
    return withETag(await this.jobs.cancel(caller, job), res);
  }

  /** Streams the frames of the job's turn, while it runs or later: the latest segment by default. */
  @Get(':jobId/stream')
  @RequiresJobAccess()
  @ApiParam({ name: 'jobId', type: String })
  @ApiAttachedStream()
  async stream(
    @Caller() caller: UserPrincipal,
    @RequestedJob() { turn }: JobRow,
    @Query() query: AttachDto,
    @Req() req: Request,
    @Res() res: Response,
  ): Promise<void> {
    this.reader.admit(caller, res);
    const { segment, after } = attachPosition(req, query);
    const opened = await this.reader.find(caller, () =>
      this.turns.attach(caller, turn.agentId, turn.turnId, segment, after),
    );
    await this.reader.stream(res, opened, after);
  }
}
