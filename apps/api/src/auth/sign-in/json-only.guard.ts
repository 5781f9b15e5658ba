import { Injectable, type CanActivate, type ExecutionContext } from '@nestjs/common';
import type { Request } from 'express';
import { invalid } from '../../infra/errors/app-error.ts';

/** Refuses what a form of another site could send along with the browser's cookie. */
@Injectable()
export class JsonOnlyGuard implements CanActivate {
  canActivate(context: ExecutionContext): boolean {
    const type = context.switchToHttp().getRequest<Request>().get('Content-Type') ?? '';
    if (!/^application\/json *(;|$)/i.test(type)) throw invalid('Content-Type must be application/json');
    return true;
  }
}
