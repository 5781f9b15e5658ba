import { mayManage, type InvocableAgent } from '../../agents/invocable-agent.ts';
import type { UserPrincipal } from '../../auth/principals/principal.ts';
import { forbidden } from '../../infra/errors/app-error.ts';
import type { TurnSettings } from '../records/turn.ts';

/**
 * The model that a request names in place of the agent's. Throws FORBIDDEN unless the caller may edit the agent: its
 * other callers must not choose what a turn costs.
 */
export function chooseModel(
  caller: Pick<UserPrincipal, 'userId' | 'role'>,
  agent: Pick<InvocableAgent, 'id' | 'ownerUserId'>,
  model: string | undefined,
): Pick<TurnSettings, 'model'> {
  if (model === undefined) return {};
  if (!mayManage(caller, agent))
    throw forbidden(`Only its owner and admins may run agent ${agent.id} on another model`);
  return { model };
}
