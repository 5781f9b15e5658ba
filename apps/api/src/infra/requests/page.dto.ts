import { Transform } from 'class-transformer';
import { IsInt, IsOptional, IsString, Max, MaxLength, Min } from 'class-validator';
import { invalid } from '../errors/app-error.ts';
import { IsInstant } from './instant.ts';

/** `?limit=&cursor=` of every list; extend it with the filters of the list. */
export class PageDto {
  /** How many, 1 to 200. */
  @IsOptional()
  @Transform(
    ({ value }) => (typeof value === 'string' && /^\d{1,4}$/.test(value) ? Number(value) : value) as unknown,
  )
  @IsInt()
  @Min(1)
  @Max(200)
  limit: number = 50;

  /** The `nextCursor` of the previous page, with the same filter. */
  @IsOptional()
  @IsString()
  @MaxLength(1000)
  cursor?: string;
}

/** Of a list that is limited to a time. */
export class TimedPageDto extends PageDto {
  /** ISO 8601, inclusive. */
  @IsOptional()
  @IsInstant()
  from?: string;

  /** ISO 8601, inclusive. */
  @IsOptional()
  @IsInstant()
  to?: string;
}

export const MAX_IDS = 200;

/** Of a list that also answers which names some ids have. */
export class IdsDto extends PageDto {
  /** Only these, on one page: at most 200 ids, separated by commas. Those that the caller may not see are left out. */
  @IsOptional()
  @IsString()
  @MaxLength(MAX_IDS * 64)
  ids?: string;
}

/** Returns the ids that were asked for; null if the list was not limited to some. */
export function idsOf({ ids }: IdsDto): string[] | null {
  return ids === undefined ? null : parseIds(ids, 'ids');
}

/** Returns the ids of a text with commas. Throws VALIDATION_ERROR if a field has too many. */
export function parseIds(text: string, field: string): string[] {
  const asked = [...new Set(text.split(',').map((id) => id.trim()))].filter((id) => id !== '');
  if (asked.length > MAX_IDS) throw invalid(`${field} must be at most ${MAX_IDS} ids`);
  return asked;
}
