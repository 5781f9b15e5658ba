import { Injectable } from '@nestjs/common';
import type { Request } from 'express';
import type { Holder } from '../auth/principal.ts';
import { FairGate } from '../infra/fair-gate.ts';
import { isUuid } from '../infra/http/ids.ts';
import type { LooksAhead } from '../infra/http/look-ahead.ts';
import { AgentsService } from './agents.service.ts';
import type { InvocableAgent } from './invocable-agent.ts';

/** Hundreds of concurrent calls of one user must leave connections to other users. */
const CONCURRENT_CHECKS = 4;

/** Finds the agents that requests invoke, while the keys of their callers are being verified. */
@Injectable()
export class InvokedAgents implements LooksAhead {
  private readonly gate = new FairGate(CONCURRENT_CHECKS);
  private readonly ahead = new WeakMap<Request, { id: string; agent: Promise<InvocableAgent> }>();

  constructor(private readonly agents: AgentsService) {}

  lookAhead(req: Request, params: Record<string, string>): void {
    void this.start(req, params);
  }

  /** Like `lookAhead`. Returns the agent, or null if it is not looked up yet. */
  start(req: Request, { agentId: id }: Record<string, string>): Promise<InvocableAgent> | null {
    if (req.holder === undefined || id === undefined || !isUuid(id)) return null;
    const agent = this.load(req.holder, id);
    // Whoever awaits it handles the rejection.
    agent.catch(() => undefined);
    this.ahead.set(req, { id, agent });
    return agent;
  }

  /** Returns the agent. Throws NOT_FOUND, or FORBIDDEN if the access rule refuses the caller. */
  get(req: Request, caller: Holder, id: string): Promise<InvocableAgent> {
    const ahead = this.ahead.get(req);
    return ahead?.id === id ? ahead.agent : this.load(caller, id);
  }

  private load(caller: Holder, id: string): Promise<InvocableAgent> {
    return this.gate.run(caller.userId, () => this.agents.getInvocable(caller, id));
  }
}
