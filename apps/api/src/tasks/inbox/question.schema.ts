import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import type { QuestionFieldType } from '@platform/contracts';
import { FIELD_TYPES, MAX_RECIPIENTS } from './question-fields.ts';

export class QuestionFieldDto {
  /**
   * A letter or _ followed by at most 63 letters, digits, or _.
   * @example amount
   */
  key!: string;
  /** @example 'Refund in euros' */
  label!: string;
  /** `date`: as YYYY-MM-DD. */
  @ApiProperty({ enum: FIELD_TYPES })
  type!: QuestionFieldType;
  /** Of a field of type `choice`, and only of it. */
  @ApiPropertyOptional({ type: 'array', items: { type: 'string' }, nullable: true })
  choices?: string[] | null;
  /** Default: false. */
  @ApiPropertyOptional({ type: 'boolean', nullable: true })
  required?: boolean | null;
}

export type RecipientsDto = 'owner' | 'admins' | { userIds: string[] };

/** To whom a question is addressed: the owner of the task, all admins of the space, or members. */
export const RECIPIENTS_SCHEMA = {
  oneOf: [
    { type: 'string', enum: ['owner', 'admins'] },
    {
      type: 'object',
      properties: {
        userIds: { type: 'array', items: { type: 'string' }, minItems: 1, maxItems: MAX_RECIPIENTS },
      },
      required: ['userIds'],
    },
  ],
};
