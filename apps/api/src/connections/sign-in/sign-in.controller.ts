import { Body, Controller, Get, HttpCode, Post, Req, Res } from '@nestjs/common';
import { ApiQuery, ApiResponse } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { Audited, type AuditedCall } from '../../auth/principals/caller.decorator.ts';
import { Access, Public } from '../../infra/routes/access.ts';
import { AuthorizeConnectionDto, AuthorizedConnectionDto } from './sign-in.dto.ts';
import { ConnectionSignInService } from './connection-sign-in.service.ts';

@Controller('connections')
export class ConnectionSignInController {
  constructor(private readonly signIn: ConnectionSignInService) {}

  /** Begins to connect in this browser. The answer sets a cookie that only this browser has. */
  @Post('authorize')
  @HttpCode(200)
  @Access('member')
  async authorize(
    @Audited() call: AuditedCall,
    @Body() body: AuthorizeConnectionDto,
    @Res({ passthrough: true }) res: Response,
  ): Promise<AuthorizedConnectionDto> {
    const { url, cookie } = await this.signIn.begin(call, body);
    res.cookie(cookie.name, cookie.value, cookie.options);
    res.setHeader('Cache-Control', 'no-store');
    return { url };
  }

  /** Where providers send the browser back to. Leads to the console, with `connected` or `problem` in the address. */
  @Get('callback')
  @Public()
  @ApiQuery({ name: 'state', required: false, type: String })
  @ApiQuery({ name: 'code', required: false, type: String })
  @ApiQuery({ name: 'iss', required: false, type: String })
  @ApiQuery({ name: 'error', required: false, type: String })
  @ApiResponse({ status: 303, description: 'Leads to a page of the console.' })
  async callback(@Req() req: Request, @Res() res: Response): Promise<void> {
    const { location, cookie } = await this.signIn.finish(
      req.originalUrl,
      req.get('Cookie') ?? '',
      req.requestId,
    );
    if (cookie !== null) res.clearCookie(cookie.name, cookie.options);
    res.setHeader('Cache-Control', 'no-store');
    res.setHeader('Referrer-Policy', 'no-referrer');
    res.redirect(303, location);
  }
}
