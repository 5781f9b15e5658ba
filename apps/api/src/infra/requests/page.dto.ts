import { Transform } from 'class-transformer';
import { IsInt, IsOptional, IsString, Max, MaxLength, Min } from 'class-validator';

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
