import { NameField } from '../model-fields.tsx';
import { NEW_MODEL, type ProviderDescriptor } from './provider.ts';

/** The platform itself: nothing to connect to. */
export const offlineProvider: ProviderDescriptor = {
  kind: 'offline',
  initial: { ...NEW_MODEL, provider: 'offline' },
  firstField: 'name',
  Fields: () => <NameField />,
};
