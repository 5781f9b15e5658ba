import { Injectable } from '@nestjs/common';
import type { Request } from 'express';
import { InvokedAgents } from '../../agents/invoked-agents.ts';
import type { LooksAhead } from '../../infra/http/look-ahead.ts';
import { CatalogService, type ResolvedModel } from '../../models/catalog.service.ts';

/** Finds the agents that requests invoke, and their models, while the keys of their callers are being verified. */
@Injectable()
export class AgentModels implements LooksAhead {
  private readonly ahead = new WeakMap<Request, Promise<ResolvedModel>>();

  constructor(
    private readonly agents: InvokedAgents,
    private readonly catalog: CatalogService,
  ) {}

  lookAhead(req: Request, params: Record<string, string>): void {
    const agent = this.agents.start(req, params);
    const model = agent?.then(({ spaceId, model }) => this.catalog.resolve(spaceId, model));
    if (model === undefined) return;
    // Whoever awaits it handles the rejection.
    model.catch(() => undefined);
    this.ahead.set(req, model);
  }

  /** Returns the model of the agent that the request invokes, if its lookup has started. */
  find(req: Request): Promise<ResolvedModel> | null {
    return this.ahead.get(req) ?? null;
  }
}
