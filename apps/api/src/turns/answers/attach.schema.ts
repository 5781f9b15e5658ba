import { Transform } from 'class-transformer';
import { IsInt, IsOptional, Min } from 'class-validator';

const toInt = ({ value }: { value: unknown }): unknown =>
  typeof value === 'string' && /^\d{1,9}$/.test(value) ? Number(value) : value;

export class AttachDto {
  /** The segment of the turn to read. Default: the latest. */
  @IsOptional()
  @Transform(toInt)
  @IsInt()
  @Min(1)
  segment?: number;

  /** The last `seq` that the client has. Default: that of `Last-Event-ID`, or 0. */
  @IsOptional()
  @Transform(toInt)
  @IsInt()
  @Min(0)
  after?: number;
}
