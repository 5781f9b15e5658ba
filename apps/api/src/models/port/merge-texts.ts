import type { ModelDelta } from './model-provider.ts';

/** Makes one delta of adjacent texts of the same type. What came before an error is passed on before it is thrown. */
export function* mergeTexts(deltas: Iterable<ModelDelta>): Generator<ModelDelta> {
  let last: ModelDelta | null = null;
  try {
    for (const delta of deltas) {
      const joined: ModelDelta | null = last && join(last, delta);
      if (last && !joined) yield last;
      last = joined ?? delta;
    }
  } catch (error) {
    if (last) yield last;
    throw error;
  }
  if (last) yield last;
}

function join(a: ModelDelta, b: ModelDelta): ModelDelta | null {
  const isText =
    (a.type === 'text' && b.type === 'text') || (a.type === 'reasoning' && b.type === 'reasoning');
  return isText ? { type: a.type, text: a.text + b.text } : null;
}
