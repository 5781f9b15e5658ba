import { Module } from '@nestjs/common';
import { AuthModule } from '../auth/auth.module.ts';
import { ToolCalls } from './tool-calls.ts';

@Module({ imports: [AuthModule], providers: [ToolCalls], exports: [ToolCalls] })
export class ToolsModule {}
