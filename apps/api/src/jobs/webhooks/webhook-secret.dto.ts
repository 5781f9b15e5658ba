export class WebhookSecretStatusDto {
  configured!: boolean;
  createdAt!: string | null;
}

export class WebhookSecretDto {
  /** `whsec_` and base64. Shown only once. */
  secret!: string;
  createdAt!: string;
  /** Until then, webhooks are also signed with the previous secret. */
  previousUntil!: string | null;
}
