import { Injectable } from '@nestjs/common';
import type { InvocableAgent } from '../../agents/invocable-agent.ts';
import { invalid } from '../../infra/errors/app-error.ts';
import { CatalogService, type ResolvedModel } from '../../models/catalog/catalog.service.ts';
import { countTokens, MEDIUM_TOKENS } from '../../models/port/tokens.ts';
import { MediaService, type LoadedPart } from '../input/media.service.ts';
import type { TurnSettings } from '../records/turn.ts';
import type { NewTurn } from './turn-start.ts';

/** A new turn with everything that its transaction stores. */
export interface PreparedTurn extends NewTurn {
  model: ResolvedModel;
  parts: LoadedPart[];
  tokens: number;
}

/** What a turn needs before its transaction: its model, its media, and the size of its message. */
@Injectable()
export class TurnPreparationService {
  constructor(
    private readonly catalog: CatalogService,
    private readonly media: MediaService,
  ) {}

  /** Throws VALIDATION_ERROR if the model does not support the contents. */
  async prepare(start: NewTurn): Promise<PreparedTurn> {
    const model = await this.resolveModel(start.agent, start.settings);
    const parts = await this.media.load(start.contents, model);
    const tokens = await countPartTokens(parts);
    const outputTokens = Math.min(start.settings.maxTokens ?? Infinity, model.maxOutputTokens);
    const room = model.contextWindow - outputTokens;
    if (tokens > room) {
      throw invalid(
        `contents have about ${tokens} tokens, and the model ${model.name} takes at most ${room} beside ${outputTokens} of output`,
      );
    }
    return { ...start, model, parts, tokens };
  }

  resolveModel(agent: InvocableAgent, settings: Pick<TurnSettings, 'model'>): Promise<ResolvedModel> {
    return this.catalog.resolve(agent.spaceId, settings.model ?? agent.model);
  }
}

async function countPartTokens(parts: LoadedPart[]): Promise<number> {
  let tokens = 0;
  for (const part of parts) {
    const text = part.type === 'text' || part.type === 'file' ? part.text : undefined;
    tokens += text === undefined ? MEDIUM_TOKENS : await countTokens(text);
  }
  return tokens;
}
