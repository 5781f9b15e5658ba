import type { NestExpressApplication } from '@nestjs/platform-express';
import { NestFactory } from '@nestjs/core';
import { DocumentBuilder, getSchemaPath, SwaggerModule, type OpenAPIObject } from '@nestjs/swagger';
import { AppModule } from './app.module.ts';
import { setupApp } from './app.setup.ts';
import { readConfig } from './infra/config/platform-config.ts';
import { ErrorDto } from './infra/http/error.dto.ts';

/** The OpenAPI document of the running service; complete only in the compiled service (swagger's plugin). */
export function createDocument(app: NestExpressApplication): OpenAPIObject {
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

/** The same document without serving anything; the database must be migrated or empty. */
export async function createOpenApiDocument(databaseUrl: string): Promise<OpenAPIObject> {
  const config = readConfig({
    DATABASE_URL: databaseUrl,
    PLATFORM_SECRET_KEY: Buffer.alloc(32).toString('base64'),
    PLATFORM_LOG_LEVEL: 'error',
  });
  const app = await NestFactory.create<NestExpressApplication>(AppModule.with(config), {
    bodyParser: false,
    logger: ['error'],
  });
  try {
    await setupApp(app);
    return createDocument(app);
  } finally {
    await app.close();
  }
}
