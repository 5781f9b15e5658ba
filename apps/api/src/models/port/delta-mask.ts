import type { ModelDelta } from './model-provider.ts';
import { SecretMask, type Secrets } from './secrets.ts';

/** Masks the secrets of a server in its deltas, including secrets that are spread over several deltas. */
export class DeltaMask {
  private readonly masks = new Map<string, { mask: SecretMask; release: (rest: string) => ModelDelta }>();

  constructor(private readonly secrets: Secrets) {}

  /** Returns the delta with its secrets masked, or null if all of it is held back. */
  pass(delta: ModelDelta): ModelDelta | null {
    if (this.secrets.whole === null) return delta;
    switch (delta.type) {
      case 'text':
      case 'reasoning': {
        const { type } = delta;
        const text = this.maskOf(type, (rest) => ({ type, text: rest })).push(delta.text);
        return text === '' ? null : text === delta.text ? delta : { type, text };
      }
      case 'tool-call': {
        const { index, id, name } = delta;
        const release = (rest: string): ModelDelta => ({ type: 'tool-call', index, arguments: rest });
        return {
          ...delta,
          ...(id !== undefined && { id: this.secrets.mask(id) }),
          ...(name !== undefined && { name: this.secrets.mask(name) }),
          arguments: this.maskOf(`call ${index}`, release).push(delta.arguments),
        };
      }
      case 'usage':
      case 'finish':
        return delta;
    }
  }

  /** Returns what is still held back at the end of the response. */
  end(): ModelDelta[] {
    return [...this.masks.values()].flatMap(({ mask, release }) => {
      const rest = mask.end();
      return rest === '' ? [] : [release(rest)];
    });
  }

  private maskOf(key: string, release: (rest: string) => ModelDelta): SecretMask {
    const known = this.masks.get(key);
    if (known) return known.mask;
    const mask = new SecretMask(this.secrets);
    this.masks.set(key, { mask, release });
    return mask;
  }
}
