import { Injectable } from '@nestjs/common';
import type { Request } from 'express';
import type { Holder } from '../auth/principals/principal.ts';
import { FairGate } from '../infra/runtime/fair-gate.ts';
import { isUuid } from '../infra/requests/ids.ts';
import { StartedLookups, type LooksAhead } from '../infra/routes/look-ahead.ts';
import { AgentsService } from './agents.service.ts';
import type { InvocableAgent } from './invocable-agent.ts';

/** Hundreds of concurrent calls of one user must leave connections to other users. */
const CONCURRENT_CHECKS = 4;

/** Finds the agents that requests invoke, while the keys of their callers are being verified. */
@Injectable()
export class InvokedAgentsService implements LooksAhead {
  private readonly gate = new FairGate(CONCURRENT_CHECKS);
  private readonly started = new StartedLookups<InvocableAgent>();

  constructor(private readonly agents: AgentsService) {}

  lookAhead(req: Request, { agentId: id = '' }: Record<string, string>): void {
    if (req.holder && isUuid(id)) this.started.add(req, id, this.load(req.holder, id));
  }

  /** Returns the agent, if its lookup has started. */
  find(req: Request, id: string): Promise<InvocableAgent> | null {
    return this.started.find(req, id);
  }

  /** Returns the agent. Throws NOT_FOUND, or FORBIDDEN if the access rule refuses the caller. */
  get(req: Request, caller: Holder, id: string): Promise<InvocableAgent> {
    return this.find(req, id) ?? this.load(caller, id);
  }

  private load(caller: Holder, id: string): Promise<InvocableAgent> {
    return this.gate.run(caller.userId, () => this.agents.getInvocable(caller, id));
  }
}
