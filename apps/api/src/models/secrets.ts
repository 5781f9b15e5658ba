/** A shorter key is a placeholder such as `none` or `ollama`, and may well be a word of the answer. */
const MIN_SECRET_LENGTH = 8;
/** Shorter beginnings of a secret are not held back: they tell nothing, and would delay ordinary text. */
const HEAD_LENGTH = 4;

/** Finds the secrets of a model server in what it sends: raw, JSON-escaped, URL-encoded, or in base64. */
export class Secrets {
  /** A secret in one of its forms. */
  readonly whole: RegExp | null;
  /** Where one may begin; matches nothing but the place. */
  readonly heads: RegExp | null;
  readonly longest: number;

  private constructor(readonly forms: string[]) {
    const expression = (texts: string[]) => texts.map(escaped).join('|');
    const heads = new Set(forms.map((form) => form.slice(0, HEAD_LENGTH)));
    this.whole = forms.length === 0 ? null : new RegExp(expression(forms), 'g');
    this.heads = forms.length === 0 ? null : new RegExp(`(?=${expression([...heads])})`, 'g');
    this.longest = forms[0]?.length ?? 0;
  }

  static of(...secrets: (string | null)[]): Secrets {
    const forms = secrets.flatMap((secret) =>
      secret !== null && secret.length >= MIN_SECRET_LENGTH ? formsOf(secret) : [],
    );
    return new Secrets([...new Set(forms)].sort((a, b) => b.length - a.length));
  }

  /** The same for bytes that are read as latin1. */
  inBytes(): Secrets {
    return new Secrets(this.forms.map((form) => Buffer.from(form).toString('latin1')));
  }

  /** Replaces every character of a secret by an asterisk, so that lengths stay. */
  mask(text: string): string {
    return this.whole === null ? text : text.replace(this.whole, asterisks);
  }

  isIn(text: string): boolean {
    return this.whole !== null && text.search(this.whole) >= 0;
  }
}

/** Masks secrets in a text that comes in pieces; holds back what may be the beginning of one. */
export class SecretMask {
  /** The end of what came, as far as a secret may begin in it. */
  private tail = '';
  /** How much of the tail is handed on already. */
  private sent = 0;

  constructor(private readonly secrets: Secrets) {}

  /** Returns what may be handed on now. */
  push(text: string): string {
    const { whole, heads } = this.secrets;
    if (whole === null || heads === null) return text;
    const all = this.tail + text;
    heads.lastIndex = 0;
    if (!heads.test(all)) {
      const out = this.sent === 0 ? all : all.slice(this.sent);
      this.keep(all, Math.max(0, all.length - HEAD_LENGTH + 1), all.length);
      return out;
    }
    let from = this.sent;
    let out = '';
    /** Where the last secret ends. */
    let free = 0;
    for (const { index, 0: secret } of all.matchAll(whole)) {
      if (index > from) out += all.slice(from, index);
      free = index + secret.length;
      out += asterisks(all.slice(Math.max(from, index), free));
      from = free;
    }
    const begin = this.beginning(all, free);
    const end = Math.max(from, begin ?? all.length);
    this.keep(all, Math.max(free, begin ?? all.length - HEAD_LENGTH + 1), end);
    return out + all.slice(from, end);
  }

  /** Returns what is left when nothing more comes; most of a secret is masked as the whole. */
  end(): string {
    const held = this.tail.slice(this.sent);
    const isSecret = this.tail.length >= MIN_SECRET_LENGTH && held !== '';
    this.tail = '';
    this.sent = 0;
    return isSecret ? asterisks(held) : held;
  }

  private keep(all: string, from: number, sentTo: number): void {
    this.tail = all.slice(from);
    this.sent = sentTo - from;
  }

  /** Where the unfinished secret begins with which a text ends, if any. */
  private beginning(all: string, free: number): number | null {
    const { heads, forms, longest } = this.secrets;
    if (heads === null) return null;
    heads.lastIndex = Math.max(free, all.length - longest + 1);
    for (let found = heads.exec(all); found; found = heads.exec(all)) {
      const rest = all.slice(found.index);
      if (forms.some((form) => form.startsWith(rest))) return found.index;
      heads.lastIndex = found.index + 1;
    }
    return null;
  }
}

/** The same for bytes; those without a secret come back as they are. */
export class SecretByteMask {
  private readonly mask: SecretMask;

  /** `secrets` are those of `inBytes()`. */
  constructor(secrets: Secrets) {
    this.mask = new SecretMask(secrets);
  }

  push(bytes: Buffer): Buffer {
    const text = bytes.toString('latin1');
    const out = this.mask.push(text);
    return out === text ? bytes : Buffer.from(out, 'latin1');
  }

  end(): Buffer {
    return Buffer.from(this.mask.end(), 'latin1');
  }
}

const escaped = (text: string) => text.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&');
const asterisks = (text: string) => '*'.repeat(text.length);

function formsOf(secret: string): string[] {
  const forms = [secret, JSON.stringify(secret).slice(1, -1), ...base64Of(secret)];
  const encoded = encodeURIComponent(secret.toWellFormed());
  forms.push(
    encoded,
    encoded.replace(/%../g, (code) => code.toLowerCase()),
  );
  return forms.flatMap((form) => (form.includes('/') ? [form, form.replaceAll('/', '\\/')] : form));
}

/** What base64 makes of a text wherever that stands in what is encoded: without the digits that it shares. */
function base64Of(text: string): string[] {
  return [0, 1, 2].flatMap((before) => {
    const bytes = Buffer.concat([Buffer.alloc(before), Buffer.from(text)]);
    const digits = bytes
      .toString('base64')
      .slice(Math.ceil((before * 8) / 6), Math.floor((bytes.length * 8) / 6));
    return [digits, digits.replaceAll('+', '-').replaceAll('/', '_')];
  });
}
