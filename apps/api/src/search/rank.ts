import { shortenText } from '../infra/runtime/shorten-text.ts';
import type { Found } from './search.registry.ts';

const MAX_TEXT = 160;

/** The best first: the whole name, then names that begin with the text, then those that contain it, then shorter ones. */
export function best(found: readonly Found[], text: string, limit: number): Found[] {
  const wanted = text.toLowerCase();
  const classOf = ({ title, id }: Found) => {
    const name = title.toLowerCase();
    if (name === wanted || id === text) return 0;
    if (name.startsWith(wanted)) return 1;
    return name.includes(wanted) ? 2 : 3;
  };
  return found
    .map((hit) => ({ hit, rank: classOf(hit) }))
    .sort((a, b) => a.rank - b.rank || a.hit.title.length - b.hit.title.length)
    .slice(0, limit)
    .map(({ hit }) => ({ ...hit, text: beginning(hit.text) }));
}

function beginning(text: string): string {
  const line = text.replace(/\s+/g, ' ').trim();
  return shortenText(line, MAX_TEXT);
}
