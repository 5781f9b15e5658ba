import { Injectable, RequestMethod } from '@nestjs/common';
import { METHOD_METADATA, PATH_METADATA } from '@nestjs/common/constants.js';
import { DiscoveryService, MetadataScanner, Reflector } from '@nestjs/core';
import type { KeyScope } from '@platform/contracts';
import type { Request } from 'express';
import { ROUTE_ACCESS, type AccessRule, type RouteAccess } from './access.ts';
import { BODY_KIND, type BodyKind } from './body-limit.ts';
import { API_PREFIX, MCP_PATH, RELAY_PREFIX, WELL_KNOWN_PREFIX } from './paths.ts';
import { RATE_KIND, type RateKind } from './rate-limit.ts';

export interface Route {
  method: string;
  path: string;
  /** Null: the route declares none, so the guard admits nobody. */
  rule: AccessRule | null;
  /** An API key needs one of them; if there is none, no API key may call the route. */
  scopes: readonly KeyScope[];
  body: BodyKind;
  rate: RateKind;
}

declare module 'express-serve-static-core' {
  interface Request {
    /** What `RouteTableRegistry.of` returns. */
    declaredRoute?: Route | null;
  }
}

/** Routes of one method with the same number of segments. */
type Candidates = { route: Route; segments: string[] }[];

/** Every route of the service with its declarations, read from the controllers. */
@Injectable()
export class RouteTableRegistry {
  private routes?: Route[];
  private index?: Map<string, Candidates>;

  constructor(
    private readonly discovery: DiscoveryService,
    private readonly scanner: MetadataScanner,
    private readonly reflector: Reflector,
  ) {}

  all(): Route[] {
    this.routes ??= this.discovery
      .getControllers()
      .flatMap(({ metatype, instance }) => this.routesOf(metatype as object, instance as object))
      .sort((a, b) => a.path.localeCompare(b.path) || a.method.localeCompare(b.method));
    return this.routes;
  }

  /** Returns the route of a request, or null. */
  of(req: Request): Route | null {
    if (req.declaredRoute === undefined) req.declaredRoute = this.find(req.method, req.path);
    return req.declaredRoute;
  }

  /** Returns the route of a path, or null. Matches in any case, like Express. */
  find(method: string, path: string): Route | null {
    const segments = loadSegments(path.toLowerCase());
    this.index ??= indexOf(this.all());
    const candidates = this.index.get(indexKey(method === 'HEAD' ? 'GET' : method, segments));
    return candidates?.find((candidate) => matches(candidate.segments, segments))?.route ?? null;
  }

  private routesOf(metatype: object, instance: object): Route[] {
    const prototype = Object.getPrototypeOf(instance) as Record<string, object>;
    return this.scanner.getAllMethodNames(prototype).flatMap((name) => {
      const handler = prototype[name];
      const verb = handler && (Reflect.getMetadata(METHOD_METADATA, handler) as RequestMethod | undefined);
      if (handler === undefined || verb === undefined) return [];
      const declared = (key: string): unknown =>
        this.reflector.getAllAndOverride(key, [handler as () => void, metatype as () => void]);
      const access = declared(ROUTE_ACCESS) as RouteAccess | undefined;
      const path = joined(
        Reflect.getMetadata(PATH_METADATA, metatype),
        Reflect.getMetadata(PATH_METADATA, handler),
      );
      return [
        {
          method: RequestMethod[verb],
          path,
          rule: access?.rule ?? null,
          scopes: access?.scopes ?? [],
          body: (declared(BODY_KIND) as BodyKind | undefined) ?? 'standard',
          rate: (declared(RATE_KIND) as RateKind | undefined) ?? 'general',
        },
      ];
    });
  }
}

function joined(...parts: unknown[]): string {
  const path = parts
    .map((part) => String(part).replace(/^\/+|\/+$/g, ''))
    .filter((part) => part !== '')
    .join('/');
  const isBare = [RELAY_PREFIX, WELL_KNOWN_PREFIX, MCP_PATH].some((prefix) => `/${path}`.startsWith(prefix));
  return isBare ? `/${path}` : `${API_PREFIX}/${path}`;
}

function indexOf(routes: Route[]): Map<string, Candidates> {
  const index = new Map<string, Candidates>();
  for (const route of routes) {
    const segments = route.path.split('/').map((part) => (part.startsWith(':') ? ':' : part.toLowerCase()));
    const key = indexKey(route.method, segments.slice(1));
    index.set(key, [...(index.get(key) ?? []), { route, segments: segments.slice(1) }]);
  }
  // Controllers declare literal routes before those with parameters, so Express finds them first.
  for (const candidates of index.values()) candidates.sort((a, b) => literalFirst(a.segments, b.segments));
  return index;
}

const indexKey = (method: string, segments: string[]) => `${method} ${segments.length}`;

/** The path from its first slash on, without a trailing slash. */
function loadSegments(path: string): string[] {
  const segments = path.split('/').slice(1);
  return segments.at(-1) === '' ? segments.slice(0, -1) : segments;
}

function matches(pattern: string[], segments: string[]): boolean {
  return pattern.every((part, i) => (part === ':' ? segments[i] !== '' : part === segments[i]));
}

function literalFirst(a: string[], b: string[]): number {
  const at = a.findIndex((part, i) => (part === ':') !== (b[i] === ':'));
  if (at < 0) return 0;
  return a[at] === ':' ? 1 : -1;
}
