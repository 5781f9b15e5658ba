import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import type { Approvers, PolicyRule, QuestionFieldType } from '@platform/contracts';
import { MAX_RECIPIENTS } from './question-fields.ts';

export class QuestionFieldDto {
  /**
   * A letter or _ followed by at most 63 letters, digits, or _.
   * @example amount
   */
  key!: string;
  /** @example 'Refund in euros' */
  label!: string;
  /** `date`: as YYYY-MM-DD. */
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

/** Who approves: the person of the turn or the owner of the task, admins, admins other than that person, or named people. */
export const APPROVERS_SCHEMA = {
  oneOf: [
    { type: 'string', enum: ['requester', 'admins', 'others'] },
    {
      type: 'object',
      properties: {
        userIds: { type: 'array', items: { type: 'string' }, minItems: 1, maxItems: MAX_RECIPIENTS },
      },
      required: ['userIds'],
    },
  ],
};

/** A call of a tool that a person decides about. */
export class AskedCallDto {
  toolId!: string;
  tool!: string;
  method!: string;
  /** Values that the schema of the method calls secret are `[hidden]`. */
  @ApiProperty({ type: 'object', additionalProperties: true })
  arguments!: Record<string, unknown>;
  /** SHA-256 of the method, its version, and the arguments: only exactly this call is approved. */
  hash!: string;
  /** The rule that decided that it is asked. */
  rule!: PolicyRule;
  /** The same as a sentence. */
  why!: string;
  /** Whether the approval holds for all calls of the method in the session, or in the run. */
  once!: boolean;
  @ApiProperty({ ...APPROVERS_SCHEMA, example: 'requester' })
  approvers!: Approvers;
}
