import { parse, type AnyNode } from 'acorn';
import { proposal } from '../../infra/schemas/schema-path.ts';

/**
 * Returns what is wrong with the steps that a condition names, an expression of JavaScript: those that have ended before it have the ids
 * `before`. Null if nothing is, or if it is no expression.
 */
export function checkCondition(expression: string, before: readonly string[]): string | null {
  const unknown = [...findSteps(expression)].find((id) => !before.includes(id));
  return unknown === undefined
    ? null
    : `names the step ${unknown}, but no earlier step has this id${proposal(unknown, before)}`;
}

/** Returns the ids in `steps.<id>` and `steps["<id>"]`. */
function findSteps(expression: string): Set<string> {
  const found = new Set<string>();
  for (const nodes: unknown[] = [parseOrNull(expression)]; nodes.length > 0;) {
    const node = nodes.pop();
    if (typeof node !== 'object' || node === null) continue;
    if (isMember(node)) {
      const id = node.computed ? valueOf(node.property) : nameOf(node.property);
      if (nameOf(node.object) === 'steps' && id !== null) found.add(id);
    }
    nodes.push(...(Object.values(node) as unknown[]));
  }
  return found;
}

function parseOrNull(expression: string): AnyNode | null {
  try {
    return parse(`(${expression}\n)`, { ecmaVersion: 'latest' });
  } catch {
    // What the sandbox understands and the parser does not is not checked.
    return null;
  }
}

const isMember = (node: object): node is Extract<AnyNode, { type: 'MemberExpression' }> =>
  (node as AnyNode).type === 'MemberExpression';

const nameOf = (node: AnyNode) => (node.type === 'Identifier' ? node.name : null);

const valueOf = (node: AnyNode) =>
  node.type === 'Literal' && typeof node.value === 'string' ? node.value : null;
