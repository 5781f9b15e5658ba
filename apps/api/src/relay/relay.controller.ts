import { Body, Controller, Delete, Get, HttpCode, Param, Post, Req, Res } from '@nestjs/common';
import { ApiBody, ApiConsumes, ApiOkResponse } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { Caller } from '../auth/principals/caller.decorator.ts';
import type { UserPrincipal } from '../auth/principals/principal.ts';
import { Access } from '../infra/routes/access.ts';
import { BodyLimit } from '../infra/routes/body-limit.ts';
import {
  COMPLETION_REQUEST,
  COMPLETION_RESPONSE,
  DELETED_RESPONSE,
  EMBEDDING_REQUEST,
  EMBEDDING_RESPONSE,
  INPUT_ITEMS_RESPONSE,
  MODEL_LIST_RESPONSE,
  RELAY_MODEL_RESPONSE,
  RESPONSES_REQUEST,
  RESPONSES_RESPONSE,
  SPEECH_REQUEST,
  SPEECH_RESPONSE,
  TRANSCRIPTION_REQUEST,
  TRANSCRIPTION_RESPONSE,
} from './relay.schema.ts';
import { RelayService } from './relay.service.ts';
import { StoredResponsesService } from './stored/stored-responses.service.ts';

/** The models of the space for OpenAI clients. */
@Access('member', 'invoke')
@BodyLimit('large')
@Controller('models/v1')
export class RelayController {
  constructor(
    private readonly relay: RelayService,
    private readonly stored: StoredResponsesService,
  ) {}

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
    @Req() req: Request,
    @Res() res: Response,
  ): Promise<void> {
    return this.relay.complete({ caller, req, res }, body);
  }

  /** Creates a response, streamed or not, if the server of the model has OpenAI's Responses API. */
  @Post('responses')
  @ApiBody({ schema: RESPONSES_REQUEST })
  @ApiOkResponse(RESPONSES_RESPONSE)
  @HttpCode(200)
  respond(
    @Caller() caller: UserPrincipal,
    @Body() body: unknown,
    @Req() req: Request,
    @Res() res: Response,
  ): Promise<void> {
    return this.relay.respond({ caller, req, res }, body);
  }

  /** Returns a stored response to the key that created it. */
  @Get('responses/:response')
  @ApiOkResponse(RESPONSES_RESPONSE)
  retrieveResponse(
    @Caller() caller: UserPrincipal,
    @Param('response') id: string,
    @Req() req: Request,
    @Res() res: Response,
  ): Promise<void> {
    return this.stored.act('retrieve', { caller, req, res }, id);
  }

  /** Deletes a stored response of the key that created it. */
  @Delete('responses/:response')
  @ApiOkResponse(DELETED_RESPONSE)
  deleteResponse(
    @Caller() caller: UserPrincipal,
    @Param('response') id: string,
    @Req() req: Request,
    @Res() res: Response,
  ): Promise<void> {
    return this.stored.act('delete', { caller, req, res }, id);
  }

  /** Cancels a stored response of the key that created it, if its server can. */
  @Post('responses/:response/cancel')
  @ApiOkResponse(RESPONSES_RESPONSE)
  @HttpCode(200)
  cancelResponse(
    @Caller() caller: UserPrincipal,
    @Param('response') id: string,
    @Req() req: Request,
    @Res() res: Response,
  ): Promise<void> {
    return this.stored.act('cancel', { caller, req, res }, id);
  }

  /** Lists the input of a stored response of the key that created it. */
  @Get('responses/:response/input_items')
  @ApiOkResponse(INPUT_ITEMS_RESPONSE)
  inputItems(
    @Caller() caller: UserPrincipal,
    @Param('response') id: string,
    @Req() req: Request,
    @Res() res: Response,
  ): Promise<void> {
    return this.stored.act('input-items', { caller, req, res }, id);
  }

  /** Creates embeddings. */
  @Post('embeddings')
  @ApiBody({ schema: EMBEDDING_REQUEST })
  @ApiOkResponse(EMBEDDING_RESPONSE)
  @HttpCode(200)
  embed(
    @Caller() caller: UserPrincipal,
    @Body() body: unknown,
    @Req() req: Request,
    @Res() res: Response,
  ): Promise<void> {
    return this.relay.embed({ caller, req, res }, body);
  }

  /** Transcribes a recording of at most 25 MB, if the server of the model can. */
  @Post('audio/transcriptions')
  @BodyLimit('upload')
  @ApiConsumes('multipart/form-data')
  @ApiBody({ schema: TRANSCRIPTION_REQUEST })
  @ApiOkResponse(TRANSCRIPTION_RESPONSE)
  @HttpCode(200)
  transcribe(
    @Caller() caller: UserPrincipal,
    @Body() body: unknown,
    @Req() req: Request,
    @Res() res: Response,
  ): Promise<void> {
    return this.relay.transcribe({ caller, req, res }, body);
  }

  /** Speaks a text, if the server of the model can. */
  @Post('audio/speech')
  @ApiBody({ schema: SPEECH_REQUEST })
  @ApiOkResponse(SPEECH_RESPONSE)
  @HttpCode(200)
  speak(
    @Caller() caller: UserPrincipal,
    @Body() body: unknown,
    @Req() req: Request,
    @Res() res: Response,
  ): Promise<void> {
    return this.relay.speak({ caller, req, res }, body);
  }
}
