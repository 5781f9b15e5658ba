import { Transform } from 'class-transformer';
import { IsInt, IsOptional, Max, MaxLength, Min } from 'class-validator';
import { IsFilledText } from '../infra/requests/text.ts';
import { SearchHitDto } from './search.schema.ts';

export class SearchQueryDto {
  /** The first letters of words, in any order; or an id. */
  @IsFilledText()
  @MaxLength(200)
  q!: string;

  /** How many of each kind, 1 to 20. */
  @IsOptional()
  @Transform(
    ({ value }) => (typeof value === 'string' && /^\d{1,3}$/.test(value) ? Number(value) : value) as unknown,
  )
  @IsInt()
  @Min(1)
  @Max(20)
  limit: number = 5;
}

export class SearchResultsDto {
  /** By kind; the best of each kind first. */
  items!: SearchHitDto[];
}
