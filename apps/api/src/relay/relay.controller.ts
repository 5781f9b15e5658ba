import { Body, Controller, Get, HttpCode, Param, Post, Req, Res } from '@nestjs/common';
import { ApiBody, ApiOkResponse } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { Caller } from '../auth/principals/caller.decorator.ts';
import type { UserPrincipal } from '../auth/principals/principal.ts';
import { Access } from '../infra/routes/access.ts';
import { BodyLimit } from '../infra/routes/body-limit.ts';
import {
  COMPLETION_REQUEST,
  COMPLETION_RESPONSE,
  EMBEDDING_REQUEST,
  EMBEDDING_RESPONSE,
  MODEL_LIST_RESPONSE,
  RELAY_MODEL_RESPONSE,
  RESPONSES_REQUEST,
  RESPONSES_RESPONSE,
} from './relay.schema.ts';
import { RelayService } from './relay.service.ts';

/** The models of the space for OpenAI clients. */
@Access('member', 'invoke')
@BodyLimit('large')
@Controller('models/v1')
export class RelayController {
  constructor(private readonly relay: RelayService) {}

  /** Lists the models of the space, in OpenAI's format. */
  @Get('models')
  @ApiOkResponse(MODEL_LIST_RESPONSE)
  models(@Caller() caller: UserPrincipal): Promise<object> {
    return this.relay.listModels(caller.spaceId);
  }

  /** Returns a model of the space, in OpenAI's format. The id of a model is its name. */
  @Get('models/:model')
  @ApiOkResponse(RELAY_MODEL_RESPONSE)
  model(@Caller() caller: UserPrincipal, @Param('model') model: string): Promise<object> {
    return this.relay.getModel(caller.spaceId, model);
  }

  /** Creates a chat completion, streamed or not, with the catalog's model that `model` names. */
  @Post('chat/completions')
  @ApiBody({ schema: COMPLETION_REQUEST })
  @ApiOkResponse(COMPLETION_RESPONSE)
  @HttpCode(200)
  complete(
    @Caller() caller: UserPrincipal,
    @Body() body: unknown,
    @Req() { requestId }: Request,
    @Res() res: Response,
  ): Promise<void> {
    return this.relay.complete(caller, body, requestId, res);
  }

  /** Creates a response, streamed or not, if the server of the model has OpenAI's Responses API. */
  @Post('responses')
  @ApiBody({ schema: RESPONSES_REQUEST })
  @ApiOkResponse(RESPONSES_RESPONSE)
  @HttpCode(200)
  respond(
    @Caller() caller: UserPrincipal,
    @Body() body: unknown,
    @Req() { requestId }: Request,
    @Res() res: Response,
  ): Promise<void> {
    return this.relay.respond(caller, body, requestId, res);
  }

  /** Creates embeddings. */
  @Post('embeddings')
  @ApiBody({ schema: EMBEDDING_REQUEST })
  @ApiOkResponse(EMBEDDING_RESPONSE)
  @HttpCode(200)
  embed(
    @Caller() caller: UserPrincipal,
    @Body() body: unknown,
    @Req() { requestId }: Request,
    @Res() res: Response,
  ): Promise<void> {
    return this.relay.embed(caller, body, requestId, res);
  }
}
