import { Module } from '@nestjs/common';
import { AuthModule } from '../auth/auth.module.ts';
import { DataInstallation } from './data-installation.ts';

@Module({ imports: [AuthModule], providers: [DataInstallation], exports: [DataInstallation] })
export class DataModule {}
