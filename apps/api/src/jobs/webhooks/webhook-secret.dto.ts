import { type WebhookSecret, type WebhookSecretStatus } from '@platform/contracts';

export class WebhookSecretStateDto implements WebhookSecretStatus {
  configured!: boolean;
  createdAt!: string | null;
}

export class WebhookSecretDto implements WebhookSecret {
  /** `whsec_` and base64. Shown only once. */
  secret!: string;
  createdAt!: string;
  /** Until then, webhooks are also signed with the previous secret. */
  previousUntil!: string | null;
}
