import 'reflect-metadata';
import { NestFactory } from '@nestjs/core';
import { ExpressAdapter, type NestExpressApplication } from '@nestjs/platform-express';
import { Logger } from 'nestjs-pino';
import { AppModule } from './app.module.ts';
import { setupApp } from './app.setup.ts';
import { dropAddress, keepAddress } from './infra/runtime/address-file.ts';
import { readConfig, type PlatformConfig } from './infra/config/platform-config.ts';
import { StartError } from './infra/config/start-error.ts';
import { migrate } from './infra/database/migrate.ts';
import { armFailpoints } from './infra/runtime/failpoints.ts';
import { ReadinessRegistry } from './infra/health/readiness.registry.ts';
import { loggedError, loggedLine } from './infra/logging/log-lines.ts';
import { isOfRedis } from './infra/messaging/redis-errors.ts';
import { SeedService } from './seed/seed.service.ts';
import { explainDatabaseError, findPort } from './start-errors.ts';

async function main(): Promise<void> {
  const port = await findPort(readConfig(process.env));
  const config = readConfig({ ...process.env, PORT: String(port) });
  armFailpoints(config.failpoints);
  await migrate(config.databaseUrl).catch((error: unknown) => {
    throw explainDatabaseError(error, config);
  });

  const app = await NestFactory.create<NestExpressApplication>(AppModule.with(config), new ExpressAdapter(), {
    bodyParser: false,
    bufferLogs: true,
    // Open streams would otherwise hold the shutdown; turns have been drained by then.
    forceCloseConnections: true,
  });
  app.useLogger(app.get(Logger));
  closeOnSignal(app, config);
  await setupApp(app);
  const seeded = await app.get(SeedService).run();

  await app.listen(config.port, config.host);
  app.get(ReadinessRegistry).ready = true;
  if (config.embedded) await keepAddress(config.dataDir, config.publicUrl);
  console.log(seeded.banner());
  // Nothing depends on it, and it can take seconds.
  const test = await seeded.testModel().catch(print);
  if (test) console.log(test);
}

/** The first signal drains; a second one does not wait. */
function closeOnSignal(app: NestExpressApplication, config: PlatformConfig): void {
  let closing = false;
  const close = () => {
    if (closing) process.exit(1);
    closing = true;
    // Whoever balances the load goes elsewhere while the turns are drained.
    app.get(ReadinessRegistry).ready = false;
    app
      .close()
      .then(() => (config.embedded ? dropAddress(config.dataDir) : undefined))
      .then(() => process.exit(0), fail);
  };
  process.on('SIGINT', close);
  process.on('SIGTERM', close);
}

/** Prints the reason in the form of a log line, because an error may contain data of users. */
function fail(error: unknown): void {
  print(error);
  process.exit(1);
}

function print(error: unknown): void {
  console.error(error instanceof StartError ? error.message : loggedLine(JSON.stringify(loggedError(error))));
}

process.on('uncaughtException', fail);
// What the clients of Redis leave to nobody is at most a lost hint.
process.on('unhandledRejection', (error) => (isOfRedis(error) ? print(error) : fail(error)));
main().catch(fail);
