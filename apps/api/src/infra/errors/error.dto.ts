import { ERROR_STATUS, type ErrorCode } from '@platform/contracts';
import { ApiProperty } from '@nestjs/swagger';

/** What is wrong with one field of a request. */
export class FieldErrorDto {
  /** Such as `settings.tools[2].name`, or a JSON pointer into a manifest. Empty if it is about the request as a whole. */
  path!: string;
  /** Continues the name of the field: "is required". */
  message!: string;
}

/** The body of every error response. */
export class ErrorBodyDto {
  @ApiProperty({ enum: [false] })
  success!: false;
  /** One or more sentences that name the field and what is expected. */
  message!: string;
  @ApiProperty({ enum: Object.keys(ERROR_STATUS) })
  code!: ErrorCode;
  /** Only with VALIDATION_ERROR: each problem, of which the message names the first three. */
  errors?: FieldErrorDto[];
}
