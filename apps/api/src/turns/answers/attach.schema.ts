import { Transform } from 'class-transformer';
import { IsInt, IsOptional, Min } from 'class-validator';

const toInt = ({ value }: { value: unknown }): unknown =>
  typeof value === 'string' && /^\d{1,9}$/.test(value) ? Number(value) : value;

export class AttachDto {
  /** Which stream of the turn; default the latest. */
  @IsOptional()
  @Transform(toInt)
  @IsInt()
  @Min(1)
  segment?: number;

  /** The last seq that is known; default 0, or what `Last-Event-ID` says. */
  @IsOptional()
  @Transform(toInt)
  @IsInt()
  @Min(0)
  after?: number;
}
