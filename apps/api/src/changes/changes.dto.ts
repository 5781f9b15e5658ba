import { ApiProperty } from '@nestjs/swagger';
import { CHANGE_KINDS, type ChangeKind } from '@platform/contracts';

/** One event of the stream of changes. */
export class ChangeDto {
  /** `reset`: the stream does not continue where the reader was, so whatever was read before may be outdated. */
  @ApiProperty({ enum: [...CHANGE_KINDS, 'reset'] })
  kind!: ChangeKind | 'reset';
  /** Null: so much of this kind has changed that each is not told. Absent in a `reset`. */
  id?: string | null;
  /** Null if it has none. Absent in a `reset`. */
  status?: string | null;
}
