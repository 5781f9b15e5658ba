import type { CreateModelRequest, Model } from '@platform/contracts';
import type { ReactNode } from 'react';

interface ConnectionProps {
  /** Null for a new model. */
  model: Model | null;
}

/** What the console knows about a kind of model provider. */
export interface ProviderDescriptor {
  kind: Model['provider'];
  /** What a new model starts with. */
  initial: CreateModelRequest;
  /** The id of the first field. */
  firstField: string;
  /** The fields for the connection to the provider, and for the names of the model. */
  Fields(props: ConnectionProps): ReactNode;
}

export const NEW_MODEL = {
  name: '',
  kind: 'chat',
  capabilities: { images: true, audio: false, files: false, tools: true },
} satisfies CreateModelRequest;
