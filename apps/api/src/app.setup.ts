import { join } from 'node:path';
import { RequestMethod } from '@nestjs/common';
import type { CorsOptionsDelegate } from '@nestjs/common/interfaces/external/cors-options.interface';
import type { NestExpressApplication } from '@nestjs/platform-express';
import express, { type NextFunction, type Request, type RequestHandler, type Response } from 'express';
import helmet from 'helmet';
import { isReferencePath, serveReference } from './api-document/reference.ts';
import { authentication } from './auth/credentials/authentication.middleware.ts';
import { holderOf } from './auth/limits/rate-limits.ts';
import { PlatformConfig } from './infra/config/platform-config.ts';
import { serveCompressed } from './infra/responses/compressed-assets.ts';
import { compressJson } from './infra/responses/compressed-json.ts';
import { notFound } from './infra/errors/app-error.ts';
import { bodyParser } from './infra/requests/body-parser.ts';
import { ErrorFilter, sendError } from './infra/errors/error.filter.ts';
import { rejectUnreadBodies } from './infra/requests/no-body.interceptor.ts';
import { serveMetrics } from './infra/metrics/serve-metrics.ts';
import { isMcpPath, isServicePath, MCP_PATH } from './infra/routes/paths.ts';
import { bodyDeadline, limitHeaders } from './infra/requests/read-timeout.ts';
import { requestId } from './infra/requests/request-id.ts';
import { requestLog } from './infra/requests/request-log.ts';
import { RouteTableRegistry } from './infra/routes/route-table.registry.ts';
import { BodyPipe } from './infra/requests/validation.pipe.ts';

const CONSOLE = join(import.meta.dirname, '../../console/dist');

/**
 * Sets up everything between the socket and the controllers, in its order; the tests use it too. Authentication comes
 * before the body parser, so that no body of an unknown caller is read.
 */
export async function setupApp(app: NestExpressApplication): Promise<void> {
  const config = app.get(PlatformConfig);
  app.disable('x-powered-by');
  app.set('trust proxy', config.trustProxy);
  const server = app.getHttpServer();
  limitHeaders(server, config.readTimeoutMs);
  // Longer than a load balancer keeps idle connections, or it would meet one that we just closed.
  server.keepAliveTimeout = 65_000;
  app.use(bodyDeadline(config.readTimeoutMs));
  app.use(requestId);
  const measure = serveMetrics(app);
  if (measure) app.use(measure);
  if (config.logLevel === 'debug' || config.logLevel === 'trace') app.use(requestLog);
  const protect = securityHeaders(config);
  serveAssets(app, protect);
  app.use(protect);
  app.enableCors(crossOrigin(config));
  app.use(compressJson);
  app.use(authentication(app));
  app.use(
    bodyParser(app.get(RouteTableRegistry), ({ principal }) => (principal ? holderOf(principal) : null)),
  );
  app.setGlobalPrefix('api', {
    exclude: ['models/v1/*path', '.well-known/*path', { path: MCP_PATH, method: RequestMethod.POST }],
  });
  rejectUnreadBodies(app);
  app.useGlobalPipes(new BodyPipe());
  app.useGlobalFilters(new ErrorFilter());
  refuseMcpStreams(app);
  serveReference(app);
  serveConsole(app);
  await app.init();
  app.use((req: Request, res: Response) => {
    sendError(notFound(`No route ${req.method} ${req.path}`), req, res);
  });
}

const EXPOSED_HEADERS = [
  'X-Platform-Stream-Protocol',
  'X-Request-Id',
  'X-Turn-Id',
  'X-Session-Id',
  'Retry-After',
  'RateLimit-Policy',
  'RateLimit',
  'ETag',
  'WWW-Authenticate',
];

/** What a page of another origin may read. Without an `Origin`, nobody asks, and a page of the console asks for a dozen responses. */
function crossOrigin({ corsOrigins: origin }: PlatformConfig): CorsOptionsDelegate<Request> {
  return ({ headers }, decide) =>
    decide(
      null,
      headers.origin === undefined
        ? { origin }
        : { origin, credentials: true, exposedHeaders: EXPOSED_HEADERS },
    );
}

/** MCP clients ask for a stream of notifications, and take this for a server without one. */
function refuseMcpStreams(app: NestExpressApplication): void {
  app.use((req: Request, res: Response, next: NextFunction) => {
    if (!isMcpPath(req.path) || req.method === 'POST' || req.method === 'OPTIONS') next();
    else res.status(405).setHeader('Allow', 'POST').end();
  });
}

/** What is sent with a response of the API; the other headers and policies are about pages. */
const API_HEADERS = [
  'Cross-Origin-Resource-Policy',
  'Referrer-Policy',
  'Strict-Transport-Security',
  'X-Content-Type-Options',
];
const API_POLICY = "default-src 'none';base-uri 'none';form-action 'none';frame-ancestors 'none'";

/**
 * What is sent with a file that a page loads. Policies belong to the page; for dozens of files, they would be a fifth of the
 * first visit.
 */
const FILE_HEADERS = new Map([
  ['X-Content-Type-Options', 'nosniff'],
  ['Cross-Origin-Resource-Policy', 'same-origin'],
]);
const FILE_BESIDE_PAGE = /^\/[\w-]+\.(?:js|svg)$/;

/** Sets headers that are the same for every page, file, or response of the API, so Helmet computes them once. */
function securityHeaders(config: PlatformConfig): RequestHandler {
  const ofPages = new Map([['Permissions-Policy', 'microphone=(self), camera=(), geolocation=()']]);
  const compute = helmet({
    contentSecurityPolicy: {
      useDefaults: false,
      directives: {
        defaultSrc: ["'self'"],
        scriptSrc: ["'self'"],
        workerSrc: ["'self'", 'blob:'],
        // People import documents from addresses of their choice.
        connectSrc: ["'self'", 'http:', 'https:'],
        imgSrc: ["'self'", 'data:', 'blob:', 'https:', 'http:'],
        mediaSrc: ["'self'", 'data:', 'blob:'],
        styleSrc: ["'self'", "'unsafe-inline'"],
        objectSrc: ["'none'"],
        frameAncestors: ["'none'"],
        baseUri: ["'none'"],
        formAction: ["'self'"],
      },
    },
    crossOriginEmbedderPolicy: false,
    strictTransportSecurity: config.publicUrl.startsWith('https:'),
    // Express is told not to send the header that Helmet would remove.
    xPoweredBy: false,
  });
  const response = { setHeader: (name: string, value: string) => ofPages.set(name, value) };
  compute({} as Request, response as unknown as Response, () => undefined);
  const ofApi = new Map([...ofPages].filter(([name]) => API_HEADERS.includes(name)));
  ofApi.set('Content-Security-Policy', API_POLICY);
  return (req, res, next) => {
    const { path } = req;
    if (FILE_BESIDE_PAGE.test(path)) res.setHeaders(FILE_HEADERS);
    else res.setHeaders(isServicePath(path) && !isReferencePath(path) ? ofApi : ofPages);
    next();
  };
}

/**
 * Serves scripts, styles, and fonts of the console. Their names change with their content, so nobody asks whether they have changed. A
 * worker is a context of its own and needs its policy.
 */
function serveAssets(app: NestExpressApplication, protect: RequestHandler): void {
  const folder = join(CONSOLE, 'assets');
  const caching = { immutable: true, maxAge: '1y', etag: false, lastModified: false };
  const secure: RequestHandler = (req, res, next) => {
    if (/worker/i.test(req.path)) return protect(req, res, next);
    res.removeHeader('X-Request-Id');
    res.setHeaders(FILE_HEADERS);
    next();
  };
  app.use('/assets', secure, serveCompressed(folder, caching), express.static(folder, caching));
}

/** Serves the other files of the console, and its page for every other address that a browser opens. */
function serveConsole(app: NestExpressApplication): void {
  const files = express.static(CONSOLE, { index: false });
  const page: RequestHandler = (req, res, next) => {
    if (req.method !== 'GET' || req.path.startsWith('/assets/') || !req.accepts('html')) {
      next();
      return;
    }
    res.setHeader('Cache-Control', 'no-cache');
    res.sendFile(join(CONSOLE, 'index.html'), (error?: Error) => {
      if (error && !res.headersSent) sendError(notFound('The console is not built; run npm start'), req, res);
    });
  };
  app.use((req: Request, res: Response, next: NextFunction) => {
    // No call of the API looks for a file.
    if (isServicePath(req.path)) next();
    else
      void files(req, res, (error?: unknown) => (error === undefined ? page(req, res, next) : next(error)));
  });
}
