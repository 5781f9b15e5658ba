import { Injectable } from '@nestjs/common';
import type { AvailableModels, ListAvailableModelsRequest } from '@platform/contracts';
import { recordAudit } from '../../auth/audit/audit.ts';
import { IdentityService } from '../../auth/people/identity.service.ts';
import type { AuditedCall } from '../../auth/principals/caller.decorator.ts';
import { Database } from '../../infra/database/database.ts';
import { invalid } from '../../infra/errors/app-error.ts';
import { BLOCKED, isBlockedCall } from '../../infra/outgoing/guarded-http.ts';
import type { ModelProvider } from '../port/model-provider.ts';
import { BUILT_IN_MODEL, BUILT_IN_MODEL_ID, type CatalogModel } from './catalog-model.ts';
import { CatalogService } from './catalog.service.ts';
import { failureMessage } from './failure-message.ts';
import { getModel } from './models.store.ts';

const TIMEOUT_MS = 20_000;
const TOO_LATE = `The model's server sent no list of models within ${TIMEOUT_MS / 1000} seconds.`;

/** Whose models are listed: those of a server that no model of the space has yet, or of the server of a stored model. */
type Source = { model: null; baseUrl: string } | { model: CatalogModel };

/** Asks model servers which models they have. */
@Injectable()
export class AvailableModelsService {
  constructor(
    private readonly database: Database,
    private readonly identity: IdentityService,
    private readonly catalog: CatalogService,
  ) {}

  /** Returns the names of the models that a server lists. A failure is a result, not an error. */
  async list(call: AuditedCall, request: ListAvailableModelsRequest): Promise<AvailableModels> {
    const { by, requestId } = call;
    const source = await this.findSource(by.spaceId, request);
    const isInstallationAdmin = await this.identity.isInstallationAdmin(by.userId);
    // Recorded before the call, because the key is sent even if the process ends in the middle of it.
    await recordAudit(this.database.manager, by, {
      action: 'model.list-available',
      targetType: 'model',
      targetId: source.model?.id ?? null,
      details: { server: serverOf(source) },
      requestId,
    });
    const signal = AbortSignal.timeout(TIMEOUT_MS);
    try {
      const provider = this.providerFor(by.spaceId, source, request.apiKey ?? null, isInstallationAdmin);
      const { names, isComplete } = await provider.listModels(signal);
      const amount = names.length === 1 ? '1 model' : `${names.length} models`;
      return { ok: true, names, isComplete, message: `The server lists ${amount}.` };
    } catch (error) {
      const message = failureMessage(error, signal, TOO_LATE);
      const isTold = isInstallationAdmin && isBlockedCall(error);
      return {
        ok: false,
        names: [],
        isComplete: false,
        message: isTold ? `${message} ${BLOCKED}.` : message,
      };
    }
  }

  private async findSource(
    spaceId: string,
    { baseUrl = null, modelId = null }: ListAvailableModelsRequest,
  ): Promise<Source> {
    // The stored key of a model goes to the stored address alone.
    if (modelId !== null && baseUrl !== null) throw invalid('baseUrl must be absent if there is a modelId');
    if (modelId === BUILT_IN_MODEL_ID) return { model: BUILT_IN_MODEL };
    if (modelId !== null) return { model: await getModel(this.database.manager, spaceId, modelId) };
    if (baseUrl === null) throw invalid('baseUrl is required without a modelId');
    return { model: null, baseUrl };
  }

  private providerFor(
    spaceId: string,
    source: Source,
    apiKey: string | null,
    isInstallationAdmin: boolean,
  ): ModelProvider {
    if (source.model === null) {
      const { baseUrl } = source;
      return this.catalog.providerAt({
        baseUrl,
        apiKey: apiKey || null,
        loopbackAllowed: isInstallationAdmin,
      });
    }
    const { model } = source;
    const { baseUrl } = model.definition;
    if (apiKey === null || baseUrl === null) return this.catalog.providerOf(spaceId, model);
    const { loopbackAllowed } = model;
    return this.catalog.providerAt({ baseUrl, apiKey: apiKey || null, loopbackAllowed });
  }
}

/** Without the path, which can contain a secret; null for an offline model. */
function serverOf(source: Source): string | null {
  const baseUrl = source.model === null ? source.baseUrl : source.model.definition.baseUrl;
  return baseUrl === null ? null : new URL(baseUrl).origin;
}
