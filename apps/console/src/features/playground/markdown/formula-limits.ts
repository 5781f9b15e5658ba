/** Longer formulas, and those that define commands, can occupy the browser for minutes, however short the answer is. */
const MAX_LENGTH = 4_000;
/** Of the formulas of a text together. */
const MAX_TOTAL = 50_000;
const DEFINITION = /\\(?:[egx]?def|let|futurelet|(?:re)?newcommand|providecommand)(?![a-z])/i;

/** A part of the HTML that Markdown becomes. */
interface HtmlNode {
  properties?: { className?: unknown };
  value?: unknown;
  children?: HtmlNode[];
}

/** A plugin for what runs before KaTeX: formulas that could occupy the browser for long stay as code. */
export function limitFormulas() {
  return (root: HtmlNode): void => {
    let total = 0;
    const waiting = [root];
    for (let node = waiting.pop(); node !== undefined; node = waiting.pop()) {
      const { properties, children = [] } = node;
      // One by one: an answer can have more nodes than a call can have arguments.
      for (let i = children.length - 1; i >= 0; i--) waiting.push(children[i] as HtmlNode);
      if (properties === undefined || !isFormula(properties.className)) continue;
      const text = children.map(({ value }) => (typeof value === 'string' ? value : '')).join('');
      const isFine = text.length <= MAX_LENGTH && total + text.length <= MAX_TOTAL && !DEFINITION.test(text);
      if (isFine) total += text.length;
      else delete properties.className;
    }
  };
}

const isFormula = (names: unknown) => Array.isArray(names) && names.includes('language-math');
