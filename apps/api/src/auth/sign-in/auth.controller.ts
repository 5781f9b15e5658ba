import { Body, Controller, Get, HttpCode, Post, Query, Req, Res, UseGuards } from '@nestjs/common';
import { KEY_SCOPES } from '@platform/contracts';
import type { Request, Response } from 'express';
import { Access, Public } from '../../infra/routes/access.ts';
import { PageDto } from '../../infra/requests/page.dto.ts';
import { AllowTemporaryPassword } from '../principals/access.guard.ts';
import { ApiKeysService } from '../api-keys/api-keys.service.ts';
import {
  ChangePasswordDto,
  ChangePasswordResponseDto,
  LoginDto,
  MeDto,
  RefreshDto,
  SignInResponseDto,
} from './auth.dto.ts';
import { PersonalApiKeyPageDto } from '../api-keys/api-keys.dto.ts';
import { Caller, Audited, type AuditedCall } from '../principals/caller.decorator.ts';
import { unknownCaller } from '../limits/limit-headers.ts';
import { JsonOnlyGuard } from './json-only.guard.ts';
import { PasswordService } from './password.service.ts';
import type { UserPrincipal } from '../principals/principal.ts';
import { RefreshCookieService } from './refresh-cookie.service.ts';
import { SignInService, type SignInResult } from './sign-in.service.ts';

@Controller('auth')
export class AuthController {
  constructor(
    private readonly signIn: SignInService,
    private readonly password: PasswordService,
    private readonly keys: ApiKeysService,
    private readonly cookie: RefreshCookieService,
  ) {}

  /** Signs in. The refresh token is set as an httpOnly cookie. */
  @Public()
  @UseGuards(JsonOnlyGuard)
  @HttpCode(200)
  @Post('login')
  async login(
    @Body() { email, password }: LoginDto,
    @Req() req: Request,
    @Res({ passthrough: true }) res: Response,
  ): Promise<SignInResponseDto> {
    return this.setCookie(res, await this.signIn.login(email, password, unknownCaller(req, res)));
  }

  /** Returns a new access token to the browser that has the refresh cookie. */
  @Public()
  @UseGuards(JsonOnlyGuard)
  @HttpCode(200)
  @Post('refresh')
  async refresh(
    @Body() { spaceId }: RefreshDto,
    @Req() req: Request,
    @Res({ passthrough: true }) res: Response,
  ): Promise<SignInResponseDto> {
    return this.setCookie(res, await this.signIn.refresh(this.cookie.read(req), spaceId));
  }

  /** Ends the sign-in of this browser. */
  @Public()
  @UseGuards(JsonOnlyGuard)
  @HttpCode(200)
  @Post('logout')
  async logout(
    @Body() _: RefreshDto,
    @Req() req: Request,
    @Res({ passthrough: true }) res: Response,
  ): Promise<Record<string, never>> {
    await this.signIn.logout(this.cookie.read(req));
    this.cookie.clear(res);
    return {};
  }

  /** Returns the caller and the space. */
  @Access('member', ...KEY_SCOPES)
  @AllowTemporaryPassword()
  @Get('me')
  me(@Caller() caller: UserPrincipal): Promise<MeDto> {
    return this.signIn.me(caller);
  }

  /**
   * Changes the caller's password, ends all other sign-ins, and revokes the API keys that the body names. Returns the
   * remaining keys.
   */
  @Access('member')
  @AllowTemporaryPassword()
  @UseGuards(JsonOnlyGuard)
  @HttpCode(200)
  @Post('password')
  changePassword(
    @Audited() call: AuditedCall,
    @Body() body: ChangePasswordDto,
    @Req() req: Request,
    @Res({ passthrough: true }) res: Response,
  ): Promise<ChangePasswordResponseDto> {
    return this.password.change(call, body, unknownCaller(req, res));
  }

  /** Lists the caller's own keys in all spaces, newest first. A call by API key lists those of the space of the key. */
  @Access('member', 'manage')
  @Get('api-keys')
  listKeys(@Caller() caller: UserPrincipal, @Query() query: PageDto): Promise<PersonalApiKeyPageDto> {
    return this.keys.listOwn(caller, query);
  }

  private setCookie(res: Response, { response, refreshToken }: SignInResult): SignInResponseDto {
    this.cookie.write(res, refreshToken);
    res.setHeader('Cache-Control', 'no-store');
    return response;
  }
}
