import { IsOptional, MaxLength } from 'class-validator';
import { IsFilledText } from '../../infra/requests/text.ts';

/** A request that can name a model. `chooseModel` says who may. */
export class RequestedModelDto {
  /** The name of a model of the space, in place of the agent's; only for the owner of the agent and admins. */
  @IsOptional()
  @IsFilledText()
  @MaxLength(200)
  model?: string;
}
