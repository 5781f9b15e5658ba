import ReactMarkdown, { type Components, type Options } from 'react-markdown';
import rehypeKatex from 'rehype-katex';
import remarkGfm from 'remark-gfm';
import remarkMath from 'remark-math';
import { limitFormulas } from './formula-limits.ts';
import { markFormulas } from './math.ts';

const remarkPlugins: Options['remarkPlugins'] = [remarkGfm, [remarkMath, { singleDollarTextMath: false }]];
/** As MathML, which the browser draws without any font or style of ours. Commands with addresses stay off. */
const rehypePlugins: Options['rehypePlugins'] = [
  limitFormulas,
  [rehypeKatex, { output: 'mathml', trust: false, strict: false, maxExpand: 500, maxSize: 20 }],
];

/** Markdown with formulas. */
export default function MarkdownMath({ text, components }: { text: string; components: Components }) {
  return (
    <ReactMarkdown remarkPlugins={remarkPlugins} rehypePlugins={rehypePlugins} components={components}>
      {markFormulas(text)}
    </ReactMarkdown>
  );
}
