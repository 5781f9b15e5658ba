import { useTranslation } from 'react-i18next';

/** What code can use, with an example of each. Their names are in the texts: `steps.help`. */
const EXAMPLES = {
  inputs: 'const { trigger } = context.execution.inputs;',
  steps: 'const { total } = context.steps.step1.output;',
  log: "console.log('Total', total);",
  agents: "const { answer } = await platform.agents.execute(agentId, { query: 'Hello' });",
  tools: "const { output } = await platform.tools.invoke(toolId, 'search', { q: 'boots' });",
  emit: "await platform.emit({ applicationIdentifier: 'shop', event: 'order.paid', payload: { total } });",
  find: "const { rows } = await platform.data.find('shop', 'orders', { where: { total: { $gte: 10 } }, order: '-total' });",
  get: "const order = await platform.data.get('shop', 'orders', id);",
  insert: "const order = await platform.data.insert('shop', 'orders', { total: 12.5 });",
  update: "await platform.data.update('shop', 'orders', id, { note: 'late' });",
  delete: "await platform.data.delete('shop', 'orders', id);",
  sleep: 'await platform.sleep(1_000);',
  hash: "const hash = platform.hash('sha256', text);",
  hmac: "const signature = platform.hmac('sha256', key, text, 'base64');",
  base64: 'const text = platform.base64.decode(platform.base64.encode(name));',
  text: 'const bytes = new TextEncoder().encode(text);',
  url: "const url = new URL('/orders?limit=5', 'https://example.com');",
  clone: 'const copy = structuredClone(context.steps.step1.output);',
  locale: "const price = total.toLocaleString('de-DE', { style: 'currency', currency: 'EUR' });",
} as const;

const NAMES = Object.keys(EXAMPLES) as (keyof typeof EXAMPLES)[];

/** Folded: a list of what code can use. */
export function CodeHelp() {
  const { t } = useTranslation();
  return (
    <details className="code-help">
      <summary>{t('steps.codeHelp')}</summary>
      <dl>
        {NAMES.map((name) => (
          <div key={name}>
            <dt className="muted">{t(`steps.help.${name}`)}</dt>
            <dd>
              <code>{EXAMPLES[name]}</code>
            </dd>
          </div>
        ))}
      </dl>
    </details>
  );
}
