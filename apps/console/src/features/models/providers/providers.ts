import type { Model } from '@platform/contracts';
import { offlineProvider } from './offline.tsx';
import { openaiCompatibleProvider } from './openai-compatible.tsx';
import type { ProviderDescriptor } from './provider.ts';

/** All kinds of providers. */
export const PROVIDERS: Record<Model['provider'], ProviderDescriptor> = {
  'openai-compatible': openaiCompatibleProvider,
  offline: offlineProvider,
};
