import { Transform } from 'class-transformer';
import { IsIn, IsInt, IsOptional, IsString, Max, MaxLength, Min } from 'class-validator';
import { invalid } from '../errors/app-error.ts';
import { IsInstant } from './instant.ts';
import { IsFilledText } from './text.ts';

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

  /** The `nextCursor` of the previous page, with the same filter and order. */
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

/** Of a list of what people name: it is searched, and also answers which names some ids have. */
export class NamedPageDto extends PageDto {
  /** Only these, on one page: at most 200 ids, separated by commas. Those that the caller may not see are left out. */
  @IsOptional()
  @IsString()
  @MaxLength(MAX_IDS * 64)
  ids?: string;

  /**
   * Words, each of which must be a part of the name, of the description of an agent, or of the email address of a member, whatever
   * the case of the letters. Of more than 8 words, the first 8 count.
   */
  @IsOptional()
  @IsFilledText()
  @MaxLength(200)
  text?: string;
}

const SORTS = ['name', '-name', 'createdAt', '-createdAt', 'updatedAt', '-updatedAt'] as const;

export class SortedPageDto extends NamedPageDto {
  /**
   * `name`, `createdAt`, or `updatedAt`, with `-` in front for descending order; default `-createdAt`. Names are sorted by their
   * first 100 characters, whatever the case of the letters.
   */
  @IsOptional()
  @IsIn(SORTS)
  sort?: (typeof SORTS)[number];
}

/** Returns the ids that were asked for; null if the list was not limited to some. */
export function idsOf({ ids }: NamedPageDto): string[] | null {
  return ids === undefined ? null : parseIds(ids, 'ids');
}

/** Returns the ids of a text with commas. Throws VALIDATION_ERROR if a field has too many. */
export function parseIds(text: string, field: string): string[] {
  const asked = [...new Set(text.split(',').map((id) => id.trim()))].filter((id) => id !== '');
  if (asked.length > MAX_IDS) throw invalid(`${field} must be at most ${MAX_IDS} ids`);
  return asked;
}
