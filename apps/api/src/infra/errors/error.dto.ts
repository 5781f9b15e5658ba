import { ERROR_STATUS, type ErrorCode } from '@platform/contracts';
import { ApiProperty } from '@nestjs/swagger';

/** The body of every error response. */
export class ErrorBodyDto {
  @ApiProperty({ enum: [false] })
  success!: false;
  /** One or more sentences that name the field and what is expected. */
  message!: string;
  @ApiProperty({ enum: Object.keys(ERROR_STATUS) })
  code!: ErrorCode;
}
