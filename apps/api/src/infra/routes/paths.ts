import type { Request } from 'express';

/** The prefix of all routes except those of the relay and of the MCP server. */
export const API_PREFIX = '/api';
export const RELAY_PREFIX = '/models/v1';
/** The MCP server of a space. */
export const MCP_PATH = '/mcp/:spaceId';

/** The addresses at which clients look for metadata (RFC 8615). */
export const WELL_KNOWN_PREFIX = '/.well-known';

/** Whether a path belongs to the relay. Like routes, it matches in any case. */
export function isRelayPath(path: string): boolean {
  return /^\/models\/v1(\/|$)/i.test(path);
}

/** Whether a path is that of an MCP server. Like routes, it matches in any case. */
export function isMcpPath(path: string): boolean {
  return mcpSpaceOf(path) !== null;
}

/** The space of the MCP server that a path belongs to; null for any other path. */
export function mcpSpaceOf(path: string): string | null {
  return /^\/mcp\/([^/]+)\/?$/i.exec(path)?.[1]?.toLowerCase() ?? null;
}

/** Whether a path belongs to the endpoints of OAuth, whose errors have a form of their own (RFC 6749, 5.2). */
export function isOAuthPath(path: string): boolean {
  return /^\/api\/oauth\/(token|register|revoke)\/?$/i.test(path);
}

/** Whether a path belongs to the API, so that the console's page must not be served for it. Like routes, it matches in any case. */
export function isServicePath(path: string): boolean {
  return /^\/(api|models|mcp|metrics|\.well-known)(\/|$)/i.test(path);
}

/** The complete path without the query, which may contain secrets. Below a prefix, `req.path` is only the rest. */
export function pathOf(req: Pick<Request, 'originalUrl'>): string {
  return req.originalUrl.replace(/\?.*$/s, '');
}

/** The prefixes of API keys, keys of model servers, and webhook secrets. */
const KEY = /^(pk|app|whsec|sk|bearer)[_-]/i;
const KEY_LENGTH = 12;
/** Longer than any id of ours. */
const TOKEN_LENGTH = 40;
/** Shorter parts between dots are file names. */
const TOKEN_PART_LENGTH = 16;

/** A path for the log, without segments that may contain a secret. */
export function maskedPath(path: string): string {
  return path
    .split('/')
    .map((segment) => (tokensOf(segment).some(isSecret) ? '***' : segment))
    .join('/');
}

function tokensOf(segment: string): string[] {
  let text = segment;
  try {
    text = decodeURIComponent(segment);
  } catch {
    // A segment that cannot be decoded is checked as it is.
  }
  return text.split(/[^\w.-]+/);
}

function isSecret(token: string): boolean {
  if (KEY.test(token) && token.length >= KEY_LENGTH) return true;
  const parts = token.split('.');
  if (parts.some((part) => part.length >= TOKEN_LENGTH)) return true;
  return parts.filter((part) => part.length >= TOKEN_PART_LENGTH).length > 1;
}
