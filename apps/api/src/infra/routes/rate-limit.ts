import { SetMetadata } from '@nestjs/common';

/** `general`: PLATFORM_RATE_LIMIT. `emit`: applications that emit their events. */
export type RateKind = 'general' | 'emit';

export const EMITS_PER_MINUTE = 30_000;

export const RATE_KIND = 'platform:rate';

/** Declares which rate limit counts the calls of a route or controller. Default: `general`. */
export const RateLimit = (kind: RateKind) => SetMetadata(RATE_KIND, kind);
