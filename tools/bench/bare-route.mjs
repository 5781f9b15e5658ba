// A bare Nest application with one route: the least that a route can cost.
import 'reflect-metadata';
import { Body, Controller, HttpCode, Module, Post } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';

/** Starts the application. `emit` receives the body of a request and returns that of the response. Returns the URL. */
export async function startBareRoute(emit) {
  class EmitController {
    emit(body) {
      return emit(body);
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
  return `http://127.0.0.1:${app.getHttpServer().address().port}/emit`;
}
