import { Module } from '@nestjs/common';
import { AuthModule } from '../auth/auth.module.ts';
import { CatalogService } from './catalog.service.ts';
import { ModelsController } from './models.controller.ts';
import { ModelsService } from './models.service.ts';

@Module({
  imports: [AuthModule],
  controllers: [ModelsController],
  providers: [CatalogService, ModelsService],
  exports: [CatalogService, ModelsService],
})
export class ModelsModule {}
