import { Injectable, RequestMethod } from '@nestjs/common';
import { METHOD_METADATA, PATH_METADATA } from '@nestjs/common/constants.js';
import { DiscoveryService, MetadataScanner, Reflector } from '@nestjs/core';
import { ACCESS_RULE, type AccessRule } from './access.ts';
import { API_PREFIX, RELAY_PREFIX } from './paths.ts';

export interface Route {
  method: string;
  path: string;
  /** Null: none was stated, so the guard refuses everybody. */
  rule: AccessRule | null;
}

/** Every route of the service with its access rule, read from the controllers themselves. */
@Injectable()
export class RouteTable {
  private routes?: Route[];
  private publicRoutes?: { method: string; pattern: RegExp }[];

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

  isPublic(method: string, path: string): boolean {
    this.publicRoutes ??= this.all()
      .filter((route) => route.rule === 'public')
      .map((route) => ({ method: route.method, pattern: patternOf(route.path) }));
    return this.publicRoutes.some(
      (route) => (route.method === method || method === 'OPTIONS') && route.pattern.test(path),
    );
  }

  private routesOf(metatype: object, instance: object): Route[] {
    const prototype = Object.getPrototypeOf(instance) as Record<string, object>;
    return this.scanner.getAllMethodNames(prototype).flatMap((name) => {
      const handler = prototype[name];
      const verb = handler && (Reflect.getMetadata(METHOD_METADATA, handler) as RequestMethod | undefined);
      if (handler === undefined || verb === undefined) return [];
      const rule = this.reflector.getAllAndOverride<AccessRule | undefined>(ACCESS_RULE, [
        handler as () => void,
        metatype as () => void,
      ]);
      const path = joined(
        Reflect.getMetadata(PATH_METADATA, metatype),
        Reflect.getMetadata(PATH_METADATA, handler),
      );
      return [{ method: RequestMethod[verb], path, rule: rule ?? null }];
    });
  }
}

function joined(...parts: unknown[]): string {
  const path = parts
    .map((part) => String(part).replace(/^\/+|\/+$/g, ''))
    .filter((part) => part !== '')
    .join('/');
  return path.startsWith(RELAY_PREFIX.slice(1)) ? `/${path}` : `${API_PREFIX}/${path}`;
}

function patternOf(path: string): RegExp {
  return new RegExp(`^${path.replace(/:[^/]+/g, '[^/]+')}/?$`);
}
