import { ApiProperty } from '@nestjs/swagger';

export class SubscriptionDebounceDto {
  /**
   * A field of the payload, such as `customer.id`: events with different values do not wait for each other. Without it, all events of
   * the subscription do.
   * @example customer.id
   */
  key?: string | null;

  /**
   * How many milliseconds it must have been quiet: 100 to 86,400,000. The run starts up to a second later.
   * @example 5000
   */
  @ApiProperty({ type: 'integer' })
  windowMs!: number;
}
