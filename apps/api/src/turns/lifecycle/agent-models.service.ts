import { Injectable } from '@nestjs/common';
import type { Request } from 'express';
import { InvokedAgentsService } from '../../agents/invoked-agents.service.ts';
import { StartedLookups, type LooksAhead } from '../../infra/routes/look-ahead.ts';
import { CatalogService, type ResolvedModel } from '../../models/catalog/catalog.service.ts';

/** Finds the agents that requests invoke, and their models, while the keys of their callers are being verified. */
@Injectable()
export class AgentModelsService implements LooksAhead {
  private readonly started = new StartedLookups<ResolvedModel>();

  constructor(
    private readonly agents: InvokedAgentsService,
    private readonly catalog: CatalogService,
  ) {}

  lookAhead(req: Request, params: Record<string, string>): void {
    const { agentId = '' } = params;
    this.agents.lookAhead(req, params);
    const model = this.agents
      .find(req, agentId)
      ?.then(({ spaceId, model: name }) => this.catalog.resolve(spaceId, name));
    if (model) this.started.add(req, agentId, model);
  }

  /** Returns the model of the agent that the request invokes, if its lookup has started. */
  find(req: Request, agentId: string): Promise<ResolvedModel> | null {
    return this.started.find(req, agentId);
  }
}
