import { ArrayMaxSize, IsArray, IsOptional, IsString, MaxLength } from 'class-validator';
import { ApiPropertyOptional } from '@nestjs/swagger';
import { FreeForm } from '../../infra/requests/free-form.ts';
import { argumentsProblems } from '../../tasks/inbox/question-fields.ts';
import { IsText } from '../../infra/requests/text.ts';
import { InteractionDto } from '../answers/answers.schema.ts';

export class ResumeDto {
  @IsString()
  sessionId!: string;

  @IsString()
  interactionId!: string;

  /** Ids of the chosen options, never their labels. */
  @IsArray()
  @ArrayMaxSize(100)
  @IsString({ each: true })
  selectedOptionIds!: string[];

  /** The user's own words, only if the question allows them. */
  @IsOptional()
  @IsText()
  @MaxLength(10_000)
  otherText?: string;

  /** The arguments with which a call is approved, in place of those that were shown. */
  @ApiPropertyOptional({ type: 'object', additionalProperties: true, example: { amount: 100 } })
  @FreeForm(argumentsProblems)
  arguments?: Record<string, unknown>;

  /** What is entered into a form, by the keys of its fields. */
  @ApiPropertyOptional({ type: 'object', additionalProperties: true, example: { amount: 120 } })
  @FreeForm(argumentsProblems)
  values?: Record<string, unknown>;
}

export class PendingInteractionsDto {
  items!: InteractionDto[];
}
