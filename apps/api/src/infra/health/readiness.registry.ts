import { Injectable } from '@nestjs/common';

/** Whether the process takes work: true from listening until shutdown begins. */
@Injectable()
export class ReadinessRegistry {
  ready = false;
}
