import { SetMetadata, type Type } from '@nestjs/common';
import type { Request } from 'express';

/** A provider with lookups that can start before it is certain that the caller may make the call. */
export interface LooksAhead {
  /**
   * Starts them. `params` are those of the path, not decoded, and the body is not validated. Nothing may be changed, and
   * the results are used only after `req.verified` resolved, which the access guard awaits.
   */
  lookAhead(req: Request, params: Record<string, string>): void;
}

export const LOOK_AHEAD = 'platform:look-ahead';

/** Declares which provider starts the lookups of a route or controller. */
export const LookAhead = (provider: Type<LooksAhead>) => SetMetadata(LOOK_AHEAD, provider);
