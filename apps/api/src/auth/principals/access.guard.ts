import { Injectable, SetMetadata, type CanActivate, type ExecutionContext } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import type { Request } from 'express';
import { ROUTE_ACCESS, type AccessRule, type RouteAccess } from '../../infra/routes/access.ts';
import { forbidden, unauthorized, type AppError } from '../../infra/errors/app-error.ts';
import { hasScope, type Principal } from './principal.ts';

const TEMPORARY_PASSWORD = 'platform:temporary-password';

/** Allows a route to be called before a temporary password is changed. */
export const AllowTemporaryPassword = () => SetMetadata(TEMPORARY_PASSWORD, true);

/** Admits a call if the access rule of the route admits its principal. A route without a rule admits nobody. */
@Injectable()
export class AccessGuard implements CanActivate {
  constructor(private readonly reflector: Reflector) {}

  canActivate(context: ExecutionContext): boolean {
    const access = this.reflector.getAllAndOverride<RouteAccess | undefined>(ROUTE_ACCESS, [
      context.getHandler(),
      context.getClass(),
    ]);
    const { principal } = context.switchToHttp().getRequest<Request>();
    const refused = refusal(access?.rule, principal) ?? scopeRefusal(access, principal);
    if (refused) throw refused;
    if (access?.rule !== 'public' && principal?.kind === 'user' && principal.passwordTemporary) {
      const allowed = this.reflector.get<boolean | undefined>(TEMPORARY_PASSWORD, context.getHandler());
      if (!allowed) throw forbidden('The password is temporary: change it first, by POST /api/auth/password');
    }
    return true;
  }
}

/** Returns the reason why a principal may not call a route, or null if it may. */
export function refusal(rule: AccessRule | undefined, principal: Principal | undefined): AppError | null {
  if (rule === undefined) return forbidden('This route states no access rule');
  if (rule === 'public') return null;
  if (!principal) return unauthorized('A credential is missing');
  switch (rule) {
    case 'application':
      return principal.kind === 'application'
        ? null
        : forbidden(
            'This call is for applications alone: send the system key of one, which begins with app_',
          );
    case 'member':
    case 'agent':
      return principal.kind === 'user' ? null : forbidden('An application may only emit its events');
    case 'admin':
      if (principal.kind !== 'user') return forbidden('An application may only emit its events');
      return principal.role === 'ADMIN' ? null : forbidden('Only admins of the space may make this call');
  }
}

/** Returns the reason why the scopes of a credential do not allow it to call a route, or null if they do. */
export function scopeRefusal(
  access: RouteAccess | undefined,
  principal: Principal | undefined,
): AppError | null {
  if (access?.rule === 'public' || !principal) return null;
  const needed = access?.scopes ?? [];
  if (hasScope(principal, ...needed)) return null;
  if (needed.length === 0) return forbidden('No API key may make this call: sign in to make it');
  return forbidden(`This API key lacks the scope ${needed.join(' or ')}`);
}
