import { Injectable } from '@nestjs/common';
import type { UserPrincipal } from '../auth/principals/principal.ts';
import { AppError } from '../infra/errors/app-error.ts';
import type { RouteAccess } from '../infra/routes/access.ts';
import type { SearchHitDto, SearchKind } from './search.schema.ts';

/** The most rows that a source looks at; the service sends the best of them. */
export const MOST_FOUND = 100;

export type Found = Omit<SearchHitDto, 'kind'>;

/** How later modules find what they store. A source returns only what the caller may see. */
interface SearchSource {
  kind: SearchKind;
  /** As that of the routes that read it. */
  access: RouteAccess;
  /** By words, which are the first letters of what is sought; in no order. */
  find?: (caller: UserPrincipal, text: string) => Promise<Found[]>;
  /** By id, which is a UUID. Null if there is none, or if it is not for the caller. */
  findById?: (caller: UserPrincipal, id: string) => Promise<Found | null>;
}

@Injectable()
export class SearchRegistry {
  readonly sources: SearchSource[] = [];

  /** To be called in `onModuleInit`. */
  register(...sources: SearchSource[]): void {
    this.sources.push(...sources);
  }
}

/** Returns null for what does not exist, or is not for the caller. */
export async function visible<T>(reading: Promise<T>): Promise<T | null> {
  try {
    return await reading;
  } catch (error) {
    if (error instanceof AppError && (error.code === 'NOT_FOUND' || error.code === 'FORBIDDEN')) return null;
    throw error;
  }
}
