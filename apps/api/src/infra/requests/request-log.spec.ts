import { EventEmitter } from 'node:events';
import { jest } from '@jest/globals';
import { Logger } from '@nestjs/common';
import type { Request, Response } from 'express';
import { sendError } from '../errors/error.filter.ts';
import { requestLog } from './request-log.ts';

const KEY = 'pk_4fGh7K2mN9pQ_secretsecretsecretsecret';

class FakeResponse extends EventEmitter {
  statusCode = 500;
  status = () => this;
  json = () => this;
}

describe('a key that was pasted into a path', () => {
  const lines: unknown[] = [];
  const log = jest.fn((line: unknown) => void lines.push(line));
  const req = {
    requestId: 'r',
    method: 'GET',
    path: `/api/agents/${KEY}`,
    originalUrl: `/api/agents/${KEY}?cursor=${KEY}`,
  } as unknown as Request;

  beforeAll(() => {
    Logger.overrideLogger({ log, error: log, warn: log, debug: log });
  });
  afterAll(() => {
    Logger.overrideLogger(true);
  });
  beforeEach(() => lines.splice(0));

  it('is not logged with the call', () => {
    const res = new FakeResponse();
    requestLog(req, res as unknown as Response, () => undefined);
    res.emit('close');
    expect(lines).toEqual([expect.objectContaining({ path: '/api/agents/***' })]);
    expect(JSON.stringify(lines)).not.toContain(KEY);
  });

  it('is not logged with a failure', () => {
    sendError(new Error('unforeseen'), req, new FakeResponse() as unknown as Response);
    expect(lines).toEqual([expect.objectContaining({ path: '/api/agents/***' })]);
    expect(JSON.stringify(lines)).not.toContain(KEY);
  });
});
