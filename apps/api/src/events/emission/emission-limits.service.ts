import { Injectable } from '@nestjs/common';
import { RateLimits } from '../../auth/limits/rate-limits.ts';
import { StorageQuotasService } from '../../storage/storage-quotas.service.ts';

/** What a space may emit. */
@Injectable()
export class EmissionLimitsService {
  constructor(
    private readonly rates: RateLimits,
    private readonly quotas: StorageQuotasService,
  ) {}

  /** Throws RATE_LIMITED, and counts none, if the space has emitted as many events as it may. */
  countEmissions(spaceId: string, count: number): void {
    this.rates.countEmissions(spaceId, count);
  }

  /** Throws QUOTA_EXCEEDED if the space has no room for payloads of so many bytes. */
  async take(spaceId: string, bytes: number): Promise<void> {
    (await this.quotas.open(spaceId, 'EVENTS')).take(bytes);
  }
}
