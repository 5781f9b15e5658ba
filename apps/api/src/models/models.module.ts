import { Module } from '@nestjs/common';
import { AuthModule } from '../auth/auth.module.ts';
import { AvailableModelsService } from './catalog/available-models.service.ts';
import { CatalogService } from './catalog/catalog.service.ts';
import { ModelsController } from './catalog/models.controller.ts';
import { ModelsService } from './catalog/models.service.ts';

@Module({
  imports: [AuthModule],
  controllers: [ModelsController],
  providers: [AvailableModelsService, CatalogService, ModelsService],
  exports: [CatalogService, ModelsService],
})
export class ModelsModule {}
