import { Module } from '@nestjs/common';
import { AuthModule } from '../auth/auth.module.ts';
import { ChangesController } from './changes.controller.ts';
import { ChangesService } from './changes.service.ts';

@Module({ imports: [AuthModule], controllers: [ChangesController], providers: [ChangesService] })
export class ChangesModule {}
