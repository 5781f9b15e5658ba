import { ApiProperty } from '@nestjs/swagger';

export class SubscriptionBatchDto {
  /**
   * A field of the payload, such as `customer.id`: events with different values are in different batches. Without it, all events of
   * the subscription are collected together.
   * @example customer.id
   */
  key?: string | null;

  /**
   * How many events start a run: 1 to 1,000. It starts earlier if they would have more than 1,000,000 bytes together.
   * @example 100
   */
  @ApiProperty({ type: 'integer' })
  maxItems!: number;

  /**
   * How many milliseconds after the first event the run starts in any case: 100 to 86,400,000. It starts up to a second later.
   * @example 60000
   */
  @ApiProperty({ type: 'integer' })
  windowMs!: number;
}
