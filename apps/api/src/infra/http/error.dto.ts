import { ERROR_STATUS, type ErrorBody, type ErrorCode } from '@platform/contracts';
import { ApiProperty } from '@nestjs/swagger';

/** The body of every failed call. */
export class ErrorDto implements ErrorBody {
  @ApiProperty({ enum: [false] })
  success!: false;
  /** One or more plain sentences; names the field and what was expected. */
  message!: string;
  @ApiProperty({ enum: Object.keys(ERROR_STATUS) })
  code!: ErrorCode;
}
