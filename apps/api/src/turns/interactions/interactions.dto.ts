import { ArrayMaxSize, IsArray, IsOptional, IsString, MaxLength } from 'class-validator';
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
}

export class PendingInteractionsDto {
  items!: InteractionDto[];
}
