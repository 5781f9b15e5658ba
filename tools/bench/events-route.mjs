// A bare Nest application with one route that stores the rows of an emission: the least that a route can cost.
import 'reflect-metadata';
import { Body, Controller, HttpCode, Module, Post } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { answer } from './child.mjs';
import { inserter } from './events-work.mjs';

const [databaseUrl] = process.argv.slice(2);
const insert = inserter(databaseUrl, 10);

class EmitController {
  async emit({ payload, idempotencyKey }) {
    return { envelopeId: await insert(payload, idempotencyKey), status: 'PENDING' };
  }
}
const method = [EmitController.prototype, 'emit'];
const descriptor = Object.getOwnPropertyDescriptor(...method);
Body()(...method, 0);
HttpCode(200)(...method, descriptor);
Post()(...method, descriptor);
Controller('emit')(EmitController);

class BareModule {}
Module({ controllers: [EmitController] })(BareModule);

const app = await NestFactory.create(BareModule, { logger: false });
await app.listen(0, '127.0.0.1');

answer({ url: () => `http://127.0.0.1:${app.getHttpServer().address().port}/emit` });
