import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import react from '@vitejs/plugin-react';
import { defaultClientConditions, defineConfig, type Plugin } from 'vite';

const api = `http://127.0.0.1:${process.env.PORT || '3000'}`;
const COMPRESSIBLE = /\.(?:js|css|svg)$/;
/** The best compression takes seconds for the largest files, which are loaded by few pages. */
const BEST_UP_TO_BYTES = 1024 * 1024;

/** Writes compressed copies of the assets, so that the service does not compress them for each visitor. */
function compressAssets(): Plugin {
  const br = promisify(brotliCompress);
  const gz = promisify(gzip);
  return {
    name: 'compress-assets',
    apply: 'build',
    async writeBundle({ dir = 'dist' }, bundle) {
      for (const name of Object.keys(bundle).filter((file) => COMPRESSIBLE.test(file))) {
        const file = join(dir, name);
        const content = await readFile(file);
        const quality = content.length <= BEST_UP_TO_BYTES ? 11 : 9;
        await writeFile(
          `${file}.br`,
          await br(content, { params: { [constants.BROTLI_PARAM_QUALITY]: quality } }),
        );
        await writeFile(`${file}.gz`, await gz(content, { level: 9 }));
      }
    },
  };
}

/**
 * Moves the style sheets behind what is seen first, which would wait for them otherwise. Scripts still do. Those that pages load later
 * must follow them there: of two rules that are equally specific, the last one is applied.
 */
function paintFirst(): Plugin {
  return {
    name: 'paint-first',
    apply: 'build',
    transform: {
      filter: { id: /vite\/preload-helper/ },
      handler(code) {
        const inBody = code.replace('document.head.appendChild(link)', 'document.body.appendChild(link)');
        if (inBody === code) throw new Error('Vite adds style sheets in another way');
        return inBody;
      },
    },
    transformIndexHtml: {
      order: 'post',
      handler(html) {
        const sheets = html.match(/ *<link rel="stylesheet"[^>]*>\n?/g) ?? [];
        return sheets
          .reduce((rest, sheet) => rest.replace(sheet, ''), html)
          .replace('</body>', `${sheets.join('')}</body>`);
      },
    },
  };
}

/** Lets dialogs load the context of forms alone: its package says nothing of side effects, so all of it came with them. */
function contextsWithoutForms(): Plugin {
  return {
    name: 'contexts-without-forms',
    apply: 'build',
    transform: {
      filter: { id: /antd\/es\/form\/context\.js$/ },
      handler(code) {
        const light = code.replace("'@rc-component/form'", "'@rc-component/form/es/FormContext'");
        if (light === code) throw new Error('antd imports the context of forms in another way');
        return light;
      },
    },
  };
}

/** Matches the modules whose paths contain one of the patterns. */
const matching = (...patterns: string[]) =>
  new RegExp(`/(?:${patterns.join('|')})`.replaceAll('/', '[\\\\/]'));

export default defineConfig({
  plugins: [react(), compressAssets(), paintFirst(), contextsWithoutForms()],
  // Libraries are read from their sources: no build before the console's own.
  resolve: { conditions: ['platform-source', ...defaultClientConditions] },
  build: {
    outDir: 'dist',
    assetsInlineLimit: 0,
    chunkSizeWarningLimit: 800,
    rolldownOptions: {
      output: {
        // One file for all pages, one for the sign-in page with the parts of forms, one for the frame of those that need a session, and
        // few more, each with all that it imports and none before it has: dozens of small files compress worse, and each has its
        // headers. The sign-in page does without the frame, and the frame without forms, because what both import is in the base.
        // `e2e/first-visit.slow.e2e-spec.ts` and `e2e/figures.slow.e2e-spec.ts` limit what a page transfers.
        codeSplitting: {
          groups: [
            {
              name: 'base',
              priority: 3,
              test: matching(
                'src/(?:app|theme|i18n|api|paths)\\.',
                'src/(?:ui/layout/page|ui/forms/form-errors|features/auth/session|features/shell/logo)\\.',
                '@tanstack/',
                'antd/es/(?:tooltip|space|grid|form/context|_util/fallbackProp)',
                'icons/(?:(?:Check|Close|Exclamation)CircleFilled|(?:Search|QuestionCircle|ArrowLeft)Outlined)',
              ),
            },
            { name: 'forms', priority: 2, test: matching('src/features/auth/sign-in-page') },
            {
              name: 'frame',
              priority: 1,
              test: matching(
                'src/features/(?:shell/(?:shell|side-nav)|runs/run-(?:status|facts))',
                'src/ui/\\w+/(?:data-list|use-list|load-all-items|page|time|states|copy-button|filter-select|menu)',
                'src/ui/\\w+/(?:use-confirm|use-drawer|duration|elapsed|use-numbers)',
                'contracts/src/(?:events|usage)',
              ),
            },
            {
              name: 'dialogs',
              test: matching('src/ui/forms/dialog-form', 'src/features/auth/expired-session'),
            },
            {
              name: 'sample-shop',
              test: matching('src/features/applications/sample-shop(?:-button|-offer)?\\.'),
            },
            // What the overview shares with the pages of jobs, runs, and traces.
            { name: 'shared', test: matching('src/ui/charts/axis', 'src/features/jobs/job-state') },
            {
              name: 'views',
              test: matching('src/features/views/(?:saved-views|use-saved-views|view-pages|views-query)'),
            },
          ],
        },
      },
    },
  },
  server: { host: '127.0.0.1', proxy: { '/api': api, '/models/v1': api } },
});
