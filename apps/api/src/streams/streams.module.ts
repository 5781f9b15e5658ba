import { Module } from '@nestjs/common';
import { StreamsService } from './streams.service.ts';

@Module({ providers: [StreamsService], exports: [StreamsService] })
export class StreamsModule {}
