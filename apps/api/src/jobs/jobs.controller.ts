import { Body, Controller, Get, Headers, HttpCode, Post, Query, Req, Res } from '@nestjs/common';
import { ApiBody, ApiExtraModels, ApiHeader, ApiParam, ApiResponse, getSchemaPath } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { Caller } from '../auth/caller.decorator.ts';
import type { UserPrincipal } from '../auth/principal.ts';
import { Access } from '../infra/http/access.ts';
import { invalid } from '../infra/http/app-error.ts';
import { BodyLimit } from '../infra/http/body-limit.ts';
import { ApiStream } from '../turns/api-stream.decorator.ts';
import { attachPosition, SegmentReader } from '../turns/segment-reader.ts';
import { AttachDto } from '../turns/turns.dto.ts';
import { TurnsService } from '../turns/turns.service.ts';
import { ConcernsJob, InvokesAgentOfBody, OwnJob } from './job-access.guard.ts';
import { JobBodyPipe } from './job-body.pipe.ts';
import { readJobRequest } from './job-request.ts';
import { ContentsJobDto, InputsJobDto, JobDto, JobPageDto, JobQueryDto, JobWaitDto } from './jobs.dto.ts';
import { JobsService } from './jobs.service.ts';
import type { JobRow } from './jobs.store.ts';

@Controller('agent-jobs')
export class JobsController {
  constructor(
    private readonly jobs: JobsService,
    private readonly turns: TurnsService,
    private readonly reader: SegmentReader,
  ) {}

  /** Starts an agent invocation that runs on its own; 200 with the first job where the key was used before. */
  @Post()
  @HttpCode(202)
  @BodyLimit('large')
  @InvokesAgentOfBody()
  @ApiExtraModels(ContentsJobDto, InputsJobDto)
  @ApiHeader({ name: 'Idempotency-Key', description: 'In place of `idempotencyKey`.', required: false })
  @ApiResponse({ status: 200, description: 'The first job that the key was used for.', type: JobDto })
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
    const request = readJobRequest(body, key, req.agent);
    const { job, isNew } = await this.jobs.create(caller, req.agent, request, req.requestId);
    if (!isNew) res.status(200);
    return job;
  }

  /** The caller's own jobs, newest first, without their results. */
  @Get()
  @Access('member')
  list(@Caller() caller: UserPrincipal, @Query() query: JobQueryDto): Promise<JobPageDto> {
    return this.jobs.list(caller, query);
  }

  /** How a job stands; with `waitMs` once status, phase or progress are news to the caller. */
  @Get(':jobId')
  @ConcernsJob()
  @ApiParam({ name: 'jobId', type: String })
  async get(
    @Caller() caller: UserPrincipal,
    @OwnJob() job: JobRow,
    @Query() { waitMs }: JobWaitDto,
    @Res({ passthrough: true }) res: Response,
  ): Promise<JobDto> {
    const left = new AbortController();
    res.once('close', () => left.abort());
    return this.jobs.describe(caller, job, waitMs ?? 0, left.signal);
  }

  /** Asks a job to stop; what was said is kept and charged, what has ended stays as it is. */
  @Post(':jobId/cancel')
  @HttpCode(202)
  @ConcernsJob()
  @ApiParam({ name: 'jobId', type: String })
  cancel(@Caller() caller: UserPrincipal, @OwnJob() job: JobRow): Promise<JobDto> {
    return this.jobs.cancel(caller, job);
  }

  /** The frames of the job's turn, during it and after: its latest segment unless another is named. */
  @Get(':jobId/stream')
  @ConcernsJob()
  @ApiParam({ name: 'jobId', type: String })
  @ApiStream()
  async stream(
    @Caller() caller: UserPrincipal,
    @OwnJob() { turn }: JobRow,
    @Query() query: AttachDto,
    @Req() req: Request,
    @Res() res: Response,
  ): Promise<void> {
    this.reader.admit(caller, res);
    const { segment, after } = attachPosition(req, query);
    const opened = await this.reader.find(caller, () =>
      this.turns.attach(caller, turn.agentId, turn.clientTurnId, segment, after),
    );
    await this.reader.stream(res, opened, after);
  }
}
