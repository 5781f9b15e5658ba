import type { INestApplicationContext } from '@nestjs/common';
import type { RequestHandler } from 'express';
import { RouteTableRegistry } from './route-table.registry.ts';

/** Starts the lookups of a route (`@LookAhead`) while its caller is being verified. */
export function lookAhead(app: INestApplicationContext): RequestHandler {
  const routes = app.get(RouteTableRegistry);
  return (req, _res, next) => {
    const route = req.verified && routes.find(req.method, req.path);
    if (route?.lookAhead)
      app.get(route.lookAhead, { strict: false }).lookAhead(req, paramsOf(route.path, req.path));
    next();
  };
}

function paramsOf(pattern: string, path: string): Record<string, string> {
  const segments = path.split('/');
  const named = pattern.split('/').map((part, i) => [part, segments[i] ?? ''] as const);
  return Object.fromEntries(
    named.flatMap(([part, value]) => (part.startsWith(':') ? [[part.slice(1), value]] : [])),
  );
}
