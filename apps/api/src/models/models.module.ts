import { Module } from '@nestjs/common';
import { CatalogueService } from './catalogue.service.ts';
import { ModelsController } from './models.controller.ts';
import { ModelsService } from './models.service.ts';

@Module({
  controllers: [ModelsController],
  providers: [CatalogueService, ModelsService],
  exports: [CatalogueService, ModelsService],
})
export class ModelsModule {}
