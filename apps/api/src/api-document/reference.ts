import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import type { NestExpressApplication } from '@nestjs/platform-express';
import { SwaggerModule } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { createApiDocument } from './api-document.ts';

const PATH = '/api/docs';
const DOCUMENT = '/api/openapi.json';

const PAGE = `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8" />
    <meta name="viewport" content="width=device-width, initial-scale=1" />
    <title>Agent platform: API</title>
    <script type="module" src="${PATH}/viewer.js"></script>
    <script type="module" src="${PATH}/page.js"></script>
  </head>
  <body style="margin: 0">
    <rapi-doc
      spec-url="${DOCUMENT}"
      show-method-in-nav-bar="as-colored-text"
      use-path-in-nav-bar="false"
      nav-item-spacing="compact"
      schema-style="table"
      schema-description-expanded="true"
      default-schema-tab="example"
      load-fonts="false"
      regular-font="system-ui, sans-serif"
      mono-font="ui-monospace, monospace"
      primary-color="#1668dc"
      allow-spec-url-load="false"
      allow-spec-file-load="false"
      allow-spec-file-download="false"
      allow-server-selection="false"
      show-header="false"
      persist-auth="false"
    >
      <p slot="nav-logo" style="margin: 16px 0 0 16px; font: 600 16px system-ui">
        <a href="/" style="color: inherit; text-decoration: none">Agent platform</a>
      </p>
      <p slot="overview"><a href="${DOCUMENT}" download style="color: inherit">OpenAPI document</a></p>
    </rapi-doc>
  </body>
</html>
`;

/** The viewer has no automatic theme, and its navigation needs 768 px: without it, all operations are in one list. */
const SCRIPT = `const viewer = document.querySelector('rapi-doc');
const follow = (query, attribute, yes, no) => {
  const media = matchMedia(query);
  const set = () => viewer.setAttribute(attribute, media.matches ? yes : no);
  media.addEventListener('change', set);
  set();
};
follow('(prefers-color-scheme: dark)', 'theme', 'dark', 'light');
follow('(min-width: 768px)', 'render-style', 'focused', 'view');
`;

/** Serves the OpenAPI document, and a page that shows it and can call it with a key. Everything comes from this origin. */
export function serveReference(app: NestExpressApplication): void {
  SwaggerModule.setup(PATH, app, () => createApiDocument(app), {
    ui: false,
    raw: ['json'],
    jsonDocumentUrl: DOCUMENT,
  });
  const viewer = findViewer();
  app.use(PATH, (req: Request, res: Response, next: () => void) => {
    if (req.method !== 'GET' && req.method !== 'HEAD') {
      next();
      return;
    }
    res.setHeader('Cache-Control', 'no-cache');
    if (req.path === '/') res.type('html').send(PAGE);
    else if (req.path === '/page.js') res.type('js').send(SCRIPT);
    else if (req.path === '/viewer.js') res.sendFile(viewer);
    else next();
  });
}

/** The build copies the viewer, so that an installation without the packages of developers has it. */
function findViewer(): string {
  const copied = join(import.meta.dirname, 'viewer', 'rapidoc-min.js');
  return existsSync(copied) ? copied : createRequire(import.meta.url).resolve('rapidoc');
}
