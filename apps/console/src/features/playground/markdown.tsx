import { memo } from 'react';
import ReactMarkdown, { type Components } from 'react-markdown';
import remarkGfm from 'remark-gfm';
import { useTranslation } from 'react-i18next';
import { CopyButton } from '../../ui/copy-button.tsx';
import { splitBlocks } from './split-blocks.ts';
import './markdown.css';

const plugins = [remarkGfm];

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
  pre: ({ node, children }) => <CodeBlock text={getNodeText(node)}>{children}</CodeBlock>,
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
  return (
    <ReactMarkdown remarkPlugins={plugins} components={components}>
      {text}
    </ReactMarkdown>
  );
});

function CodeBlock({ text, children }: { text: string; children: React.ReactNode }) {
  const { t } = useTranslation();
  return (
    <div className="markdown-code">
      <pre tabIndex={0}>{children}</pre>
      <CopyButton text={text} label={t('playground.copyCode')} size="small" type="text" />
    </div>
  );
}

interface TextNode {
  value?: unknown;
  children?: TextNode[];
}

function getNodeText(node: unknown): string {
  const { value, children = [] } = (node ?? {}) as TextNode;
  return typeof value === 'string' ? value : children.map(getNodeText).join('');
}
