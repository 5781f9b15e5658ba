import type { NestExpressApplication } from '@nestjs/platform-express';
import { NestFactory } from '@nestjs/core';
import type { OpenAPIObject } from '@nestjs/swagger';
import { createApiDocument } from './api-document/api-document.ts';
import { AppModule } from './app.module.ts';
import { setupApp } from './app.setup.ts';
import { readConfig } from './infra/config/platform-config.ts';
import { migrate } from './infra/database/migrate.ts';

/** Describes the service without serving anything. Migrates the database, because the service relies on it when it starts. */
export async function createOpenApiDocument(databaseUrl: string): Promise<OpenAPIObject> {
  const config = readConfig({
    DATABASE_URL: databaseUrl,
    PLATFORM_SECRET_KEY: Buffer.alloc(32).toString('base64'),
    PLATFORM_LOG_LEVEL: 'error',
  });
  await migrate(databaseUrl);
  const app = await NestFactory.create<NestExpressApplication>(AppModule.with(config), {
    bodyParser: false,
    logger: ['error'],
  });
  try {
    await setupApp(app);
    return createApiDocument(app);
  } finally {
    await app.close();
  }
}
