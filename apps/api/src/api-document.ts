import type { NestExpressApplication } from '@nestjs/platform-express';
import { DocumentBuilder, getSchemaPath, SwaggerModule, type OpenAPIObject } from '@nestjs/swagger';
import { ErrorDto } from './infra/http/error.dto.ts';

/** Describes a running service. Complete only if the service is compiled by tsc, with the plugin of Swagger. */
export function createApiDocument(app: NestExpressApplication): OpenAPIObject {
  const about = new DocumentBuilder()
    .setTitle('Agent platform')
    .setDescription('Agents by streaming chat, structured execution and jobs; events; tools.')
    .setVersion('1')
    .addBearerAuth()
    .addSecurityRequirements('bearer')
    .addGlobalResponse({
      status: 'default',
      description: 'Any failure.',
      schema: { $ref: getSchemaPath(ErrorDto) },
    })
    .build();
  return SwaggerModule.createDocument(app, about, { extraModels: [ErrorDto] });
}
