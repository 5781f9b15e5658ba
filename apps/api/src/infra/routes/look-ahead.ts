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

/** Lookups that have started, until the handlers of their requests ask for them. */
export class StartedLookups<Result> {
  private readonly started = new WeakMap<Request, { of: string; result: Promise<Result> }>();

  /** `of` says what is looked up. */
  add(req: Request, of: string, result: Promise<Result>): void {
    // Whoever awaits it handles the rejection.
    result.catch(() => undefined);
    this.started.set(req, { of, result });
  }

  /** Returns the result, or null if nothing or something else is looked up for the request. */
  find(req: Request, of: string): Promise<Result> | null {
    const started = this.started.get(req);
    return started?.of === of ? started.result : null;
  }
}

export const LOOK_AHEAD = 'platform:look-ahead';

/** Declares which provider starts the lookups of a route or controller. */
export const LookAhead = (provider: Type<LooksAhead>) => SetMetadata(LOOK_AHEAD, provider);
