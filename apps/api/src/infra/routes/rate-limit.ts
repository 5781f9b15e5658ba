import { SetMetadata } from '@nestjs/common';

/**
 * `general`: PLATFORM_RATE_LIMIT for each credential, five times as much for its holder. `emit`: PLATFORM_EMISSION_LIMIT,
 * which counts all events of a space.
 */
export type RateKind = 'general' | 'emit';

export const RATE_KIND = 'platform:rate';

/** Declares which rate limit counts the calls of a route or controller. Default: `general`. */
export const RateLimit = (kind: RateKind) => SetMetadata(RATE_KIND, kind);
