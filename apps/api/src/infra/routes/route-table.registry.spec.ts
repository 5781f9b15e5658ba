import 'reflect-metadata';
import { Controller, Delete, Get, Post } from '@nestjs/common';
import { DiscoveryModule } from '@nestjs/core';
import { Test } from '@nestjs/testing';
import { Access, Public } from './access.ts';
import { BodyLimit } from './body-limit.ts';
import { RateLimit } from './rate-limit.ts';
import { RouteTableRegistry } from './route-table.registry.ts';

@Access('member')
@BodyLimit('large')
@Controller('things')
class ThingsController {
  @Get('mine')
  @Public()
  mine(): void {
    return;
  }

  @Get(':thingId')
  get(): void {
    return;
  }

  @Post()
  @BodyLimit('upload')
  create(): void {
    return;
  }

  @Post(':thingId/parts')
  addPart(): void {
    return;
  }
}

@Controller()
class EventsController {
  @Post('events/emit')
  @Access('application')
  @BodyLimit('event')
  @RateLimit('emit')
  emit(): void {
    return;
  }

  @Delete('events/:id')
  remove(): void {
    return;
  }
}

describe('RouteTable', () => {
  let table: RouteTableRegistry;

  beforeAll(async () => {
    const testing = await Test.createTestingModule({
      imports: [DiscoveryModule],
      controllers: [ThingsController, EventsController],
      providers: [RouteTableRegistry],
    }).compile();
    table = testing.get(RouteTableRegistry);
  });

  it('tells of every route what it declares, the handler before the controller', () => {
    expect(table.all()).toEqual([
      {
        method: 'DELETE',
        path: '/api/events/:id',
        rule: null,
        scopes: [],
        body: 'standard',
        rate: 'general',
      },
      {
        method: 'POST',
        path: '/api/events/emit',
        rule: 'application',
        scopes: [],
        body: 'event',
        rate: 'emit',
      },
      {
        method: 'POST',
        path: '/api/things',
        rule: 'member',
        scopes: [],
        body: 'upload',
        rate: 'general',
      },
      {
        method: 'GET',
        path: '/api/things/:thingId',
        rule: 'member',
        scopes: [],
        body: 'large',
        rate: 'general',
      },
      {
        method: 'POST',
        path: '/api/things/:thingId/parts',
        rule: 'member',
        scopes: [],
        body: 'large',
        rate: 'general',
      },
      {
        method: 'GET',
        path: '/api/things/mine',
        rule: 'public',
        scopes: [],
        body: 'large',
        rate: 'general',
      },
    ]);
  });

  it.each([
    ['GET', '/api/things/mine', '/api/things/mine'],
    ['GET', '/api/things/x', '/api/things/:thingId'],
    ['HEAD', '/api/things/x', '/api/things/:thingId'],
    ['POST', '/API/Things/', '/api/things'],
    ['POST', '/api/things/%20/parts', '/api/things/:thingId/parts'],
    ['POST', '/api/things//parts', null],
    ['PATCH', '/api/things/x', null],
    ['GET', '/api/things/x/y', null],
    ['GET', '/', null],
    ['GET', '', null],
  ])('finds what %s %s reaches', (method, path, found) => {
    expect(table.find(method, path)?.path ?? null).toBe(found);
  });
});
