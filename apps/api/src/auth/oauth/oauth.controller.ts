import { Body, Controller, Header, HttpCode, Post, Req, Res } from '@nestjs/common';
import { ApiBody, ApiConsumes } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { invalid } from '../../infra/errors/app-error.ts';
import { isText } from '../../infra/requests/text.ts';
import { isObject } from '../../infra/runtime/json.ts';
import { Public } from '../../infra/routes/access.ts';
import { BodyLimit } from '../../infra/routes/body-limit.ts';
import { unknownCaller } from '../limits/limit-headers.ts';
import { KnownClientsService } from './known-clients.service.ts';
import { TokenIssuerService } from './token-issuer.service.ts';
import { OAuthTokensDto, RegisteredClientDto } from './oauth.dto.ts';
import { REGISTRATION_REQUEST, REVOCATION_REQUEST, TOKEN_REQUEST } from './oauth.schema.ts';

/** What clients call themselves. They are public clients: whoever has a code and its verifier receives the tokens. */
@Public()
@Controller('oauth')
export class OAuthController {
  constructor(
    private readonly clients: KnownClientsService,
    private readonly tokens: TokenIssuerService,
  ) {}

  /** Exchanges a code, or a refresh token, for an access token of the MCP server of a space. */
  @Post('token')
  @BodyLimit('form')
  @ApiConsumes('application/x-www-form-urlencoded')
  @ApiBody({ schema: TOKEN_REQUEST })
  @Header('Cache-Control', 'no-store')
  @HttpCode(200)
  issueTokens(@Body() body: unknown, @Req() req: Request): Promise<OAuthTokensDto> {
    return this.tokens.issue(readForm(body), req.requestId);
  }

  /** Ends what a client may do, by one of its tokens. Also returns 200 for a token that is not valid. */
  @Post('revoke')
  @BodyLimit('form')
  @ApiConsumes('application/x-www-form-urlencoded')
  @ApiBody({ schema: REVOCATION_REQUEST })
  @HttpCode(200)
  revokeToken(@Body() body: unknown, @Req() req: Request): Promise<void> {
    return this.tokens.revoke(readForm(body), req.requestId);
  }

  /** Registers a client that has no document of its own. What nobody has allowed anything is deleted after a day. */
  @Post('register')
  @BodyLimit('registration')
  @ApiBody({ schema: REGISTRATION_REQUEST })
  @Header('Cache-Control', 'no-store')
  async registerClient(
    @Body() body: unknown,
    @Req() req: Request,
    @Res({ passthrough: true }) res: Response,
  ): Promise<RegisteredClientDto> {
    const { clientId, name, redirectUris, readAt } = await this.clients.register(
      body,
      unknownCaller(req, res),
    );
    return {
      client_id: clientId,
      client_id_issued_at: Math.floor(readAt.getTime() / 1000),
      client_name: name,
      redirect_uris: redirectUris,
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
      token_endpoint_auth_method: 'none',
    };
  }
}

/** The parameters of a form. Those that are not known mean nothing, and none may be repeated (RFC 6749, 3.2). */
function readForm(body: unknown): Record<string, string> {
  const form = new Map<string, string>();
  for (const [name, value] of Object.entries(isObject(body) ? body : {})) {
    if (!isText(value)) throw invalid(`${name} must be one text`);
    // An empty value means that there is none.
    if (value !== '') form.set(name, value);
  }
  return Object.fromEntries(form);
}
