import { memo, Suspense } from 'react';
import ReactMarkdown, { type Components } from 'react-markdown';
import remarkGfm from 'remark-gfm';
import { useTranslation } from 'react-i18next';
import { CopyButton } from '../../../ui/code/copy-button.tsx';
import { lazyPart } from '../../../ui/layout/lazy-part.tsx';
import { highlight } from './highlight.ts';
import { mayHaveMath } from './math.ts';
import { splitBlocks } from './split-blocks.ts';
import './markdown.css';

/** Formulas are rare, and their code is large. */
const MarkdownMath = lazyPart(() => import('./markdown-math.tsx'));
const plugins = [remarkGfm];
/** Of the class that names the language of a code block. */
const PREFIX = 'language-';

const components: Components = {
  a: ({ href, children }) => (
    <a href={href} target="_blank" rel="noreferrer noopener">
      {children}
    </a>
  ),
  // Loading an image would reveal the reader to its server, so images are shown as links.
  img: ({ src, alt }) => (
    <a href={typeof src === 'string' ? src : undefined} target="_blank" rel="noreferrer noopener">
      {alt || (typeof src === 'string' ? src : '')}
    </a>
  ),
  pre: ({ node }) => <CodeBlock text={getNodeText(node)} language={getLanguage(node)} />,
  table: ({ children }) => (
    <div className="table-scroll" tabIndex={0} role="group">
      <table>{children}</table>
    </div>
  ),
};

/** Renders an answer as Markdown; HTML stays text. While streaming, only the last block is rendered again. */
export function Markdown({ text, streaming }: { text: string; streaming: boolean }) {
  const blocks = streaming ? splitBlocks(text) : [text];
  return (
    <div className="markdown">
      {blocks.map((block, i) => (
        <Block key={i} text={block} />
      ))}
    </div>
  );
}

const Block = memo(function Block({ text }: { text: string }) {
  const plain = (
    <ReactMarkdown remarkPlugins={plugins} components={components}>
      {text}
    </ReactMarkdown>
  );
  if (!mayHaveMath(text)) return plain;
  return (
    <Suspense fallback={plain}>
      <MarkdownMath text={text} components={components} />
    </Suspense>
  );
});

/** Code with its language, its colors, and a button that copies it. */
const CodeBlock = memo(function CodeBlock({ text, language }: { text: string; language: string }) {
  const { t } = useTranslation();
  return (
    <figure className="markdown-code">
      <figcaption className="row">
        <span className="grow mono">{language === '' ? t('playground.code') : language}</span>
        <CopyButton text={text} label={t('playground.copyCode')} size="small" type="text" />
      </figcaption>
      <pre tabIndex={0}>
        <code>
          {highlight(text, language).map(({ kind, text: part }, i) =>
            kind === 'plain' ? (
              part
            ) : (
              <span key={i} className={`code-${kind}`}>
                {part}
              </span>
            ),
          )}
        </code>
      </pre>
    </figure>
  );
});

interface TextNode {
  properties?: { className?: unknown };
  value?: unknown;
  children?: TextNode[];
}

function getNodeText(node: unknown): string {
  const { value, children = [] } = (node ?? {}) as TextNode;
  return typeof value === 'string' ? value : children.map(getNodeText).join('');
}

/** The language that the author named after the fence, or ''. */
function getLanguage(node: unknown): string {
  const [code] = ((node ?? {}) as TextNode).children ?? [];
  const names: unknown = code?.properties?.className;
  const all: unknown[] = Array.isArray(names) ? names : [];
  const name = all.map(String).find((one) => one.startsWith(PREFIX));
  return name?.slice(PREFIX.length) ?? '';
}
