import { Module } from '@nestjs/common';
import { AuthModule } from '../auth/auth.module.ts';
import { MethodSchemas } from './method-schemas.ts';
import { ToolCalls } from './tool-calls.ts';
import { ToolResponses } from './tool-responses.ts';

@Module({
  imports: [AuthModule],
  providers: [MethodSchemas, ToolCalls, ToolResponses],
  exports: [ToolCalls],
})
export class ToolsModule {}
