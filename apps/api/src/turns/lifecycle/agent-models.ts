import { Injectable } from '@nestjs/common';
import type { Request } from 'express';
import { InvokedAgents } from '../../agents/invoked-agents.ts';
import type { LooksAhead } from '../../infra/http/look-ahead.ts';
import { CatalogService, type ResolvedModel } from '../../models/catalog.service.ts';

/** The agents whose models are remembered. */
const MAX_AGENTS = 10_000;

/** Finds the agents that requests invoke, and their models, while the keys of their callers are being verified. */
@Injectable()
export class AgentModels implements LooksAhead {
  private readonly ahead = new WeakMap<Request, Promise<ResolvedModel>>();
  /** The names of the models that agents had when they were last called. Most still have them. */
  private readonly names = new Map<string, string>();

  constructor(
    private readonly agents: InvokedAgents,
    private readonly catalog: CatalogService,
  ) {}

  lookAhead(req: Request, params: Record<string, string>): void {
    const agent = this.agents.start(req, params);
    if (req.holder === undefined || agent === null) return;
    const expected = this.names.get(params.agentId ?? '');
    const expectedModel = expected === undefined ? null : this.catalog.resolve(req.holder.spaceId, expected);
    const model = agent.then(({ id, spaceId, model: name }) => {
      this.remember(id, name);
      return expectedModel !== null && name === expected
        ? expectedModel
        : this.catalog.resolve(spaceId, name);
    });
    // Whoever awaits them handles the rejections.
    for (const started of [expectedModel, model]) started?.catch(() => undefined);
    this.ahead.set(req, model);
  }

  private remember(agentId: string, name: string): void {
    const [oldest] = this.names.keys();
    if (oldest !== undefined && this.names.size >= MAX_AGENTS && !this.names.has(agentId))
      this.names.delete(oldest);
    this.names.set(agentId, name);
  }

  /** Returns the model of the agent that the request invokes, if its lookup has started. */
  find(req: Request): Promise<ResolvedModel> | null {
    return this.ahead.get(req) ?? null;
  }
}
