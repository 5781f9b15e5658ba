import { Module } from '@nestjs/common';
import { AuthModule } from '../auth/auth.module.ts';
import { SearchController } from './search.controller.ts';
import { SearchRegistry } from './search.registry.ts';
import { SearchService } from './search.service.ts';

@Module({
  imports: [AuthModule],
  controllers: [SearchController],
  providers: [SearchRegistry, SearchService],
  exports: [SearchRegistry],
})
export class SearchModule {}
