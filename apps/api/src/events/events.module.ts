import { Module } from '@nestjs/common';
import { AuthModule } from '../auth/auth.module.ts';
import { CatalogInstallation } from './catalog-installation.ts';

@Module({
  imports: [AuthModule],
  providers: [CatalogInstallation],
  exports: [CatalogInstallation],
})
export class EventsModule {}
