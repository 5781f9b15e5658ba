import { CALL_MODES, type Approvers, type CallMode } from '@platform/contracts';
import { ApiProperty } from '@nestjs/swagger';
import { APPROVERS_SCHEMA } from '../../tasks/inbox/question.schema.ts';

/** What happens when a method is called. */
export class CallPolicyDto {
  /** `run`: it is called. `ask`, `ask-once-per-session`: a person approves first. `never`: it is not called. */
  @ApiProperty({ enum: CALL_MODES, example: 'ask' })
  mode!: CallMode;
  @ApiProperty({ ...APPROVERS_SCHEMA, example: 'requester' })
  approvers!: Approvers;
}

/** As `CallPolicy`; without approvers, the requester approves. */
export class CallPolicyRequestDto {
  @ApiProperty({ enum: CALL_MODES, example: 'ask' })
  mode!: CallMode;
  @ApiProperty({ ...APPROVERS_SCHEMA, example: 'requester', required: false })
  approvers?: Approvers;
}
