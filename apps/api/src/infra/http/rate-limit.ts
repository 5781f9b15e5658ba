import { SetMetadata } from '@nestjs/common';

/** `general`: PLATFORM_RATE_LIMIT. `emit`: applications that emit their events. */
export type RateKind = 'general' | 'emit';

export const EMITS_PER_MINUTE = 30_000;

export const RATE_KIND = 'platform:rate';

/** States by which limit the calls of a route are counted, or of every route of the controller; else `general`. */
export const RateLimit = (kind: RateKind) => SetMetadata(RATE_KIND, kind);
