/** A shorter key is a placeholder such as `none` or `ollama`, which can be a normal word of a response. */
const MIN_SECRET_LENGTH = 8;
/** Shorter prefixes of a secret are not held back: they reveal nothing, and would delay normal text. */
const HEAD_LENGTH = 4;

/** Finds the secrets of a model server in what it sends: raw, JSON-escaped, URL-encoded, or in base64. */
export class Secrets {
  /** Matches a secret in any of its forms. */
  readonly whole: RegExp | null;
  /** Matches the beginning of a secret. */
  readonly heads: RegExp | null;
  /**
   * Matches JSON, decoded as latin1, in which a string may contain or begin a secret that continues elsewhere: at a head, at
   * a shorter beginning before the closing quote of a value, and at an escape that may stand for a character of a secret. A
   * line break is in no secret, because a header cannot contain it. A colon in another line does not make a value a key: the
   * line may be a comment.
   */
  readonly suspects: RegExp | null;
  /** Matches the end of a text that may begin a secret, but is shorter than a head. */
  readonly openEnd: RegExp | null;
  readonly longest: number;

  private constructor(readonly forms: string[]) {
    const expression = (texts: string[]) => texts.map(escaped).join('|');
    const heads = beginnings(forms, HEAD_LENGTH);
    const short = [3, 2, 1].flatMap((length) => beginnings(forms, length));
    // Half of a surrogate pair can be the end of a text, whose other half arrives later.
    const ends = [3, 2, 1].flatMap((length) => forms.map((form) => form.slice(0, length)));
    const inJson = (texts: string[]) => expression(texts.map((text) => Buffer.from(text).toString('latin1')));
    const isEmpty = forms.length === 0;
    this.whole = isEmpty ? null : new RegExp(expression(forms), 'g');
    this.heads = isEmpty ? null : new RegExp(expression(heads), 'g');
    this.openEnd = isEmpty ? null : new RegExp(`(?:${expression(ends)})$`);
    this.suspects = isEmpty
      ? null
      : new RegExp(`${inJson(heads)}|(?:${inJson(short)})"(?![ \\t]*:)|\\\\(?!n)`, 'g');
    this.longest = forms[0]?.length ?? 0;
  }

  static of(...secrets: (string | null)[]): Secrets {
    const forms = secrets.flatMap((secret) =>
      secret !== null && secret.length >= MIN_SECRET_LENGTH ? formsOf(secret) : [],
    );
    return new Secrets([...new Set(forms)].sort((a, b) => b.length - a.length));
  }

  /** The same for bytes that are decoded as latin1. */
  inBytes(): Secrets {
    return new Secrets(this.forms.map((form) => Buffer.from(form).toString('latin1')));
  }

  /** Replaces every character of a secret with an asterisk, which keeps the length. */
  mask(text: string): string {
    return this.whole === null ? text : text.replace(this.whole, asterisks);
  }

  isIn(text: string): boolean {
    return this.whole !== null && text.search(this.whole) >= 0;
  }
}

/** Masks secrets in a text that arrives in pieces. Holds back what may be the beginning of a secret. */
export class SecretMask {
  /** The end of the text, as far as a secret may begin in it. */
  private tail = '';
  /** How much of the tail was already returned. */
  private sent = 0;

  constructor(private readonly secrets: Secrets) {}

  /** Returns the text that is safe to pass on. */
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
    /** The end of the last secret. */
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

  /** Returns the rest at the end of the text. An almost complete secret is masked as well. */
  end(): string {
    const held = this.tail.slice(this.sent);
    const isSecret = this.tail.length >= MIN_SECRET_LENGTH && held !== '';
    this.tail = '';
    this.sent = 0;
    return isSecret ? asterisks(held) : held;
  }

  /** Whether no secret may have begun at the end of the text. */
  get isClear(): boolean {
    return this.tail.length < HEAD_LENGTH && !this.secrets.openEnd?.test(this.tail);
  }

  private keep(all: string, from: number, sentTo: number): void {
    this.tail = all.slice(from);
    this.sent = sentTo - from;
  }

  /** The start of an incomplete secret at the end of a text, if any. */
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

/** The same for bytes. Bytes without a secret are returned unchanged. */
export class SecretByteMask {
  private readonly mask: SecretMask;

  /** `secrets` are those of `inBytes()`. */
  constructor(private readonly secrets: Secrets) {
    this.mask = new SecretMask(secrets);
  }

  push(bytes: Buffer): Buffer {
    if (this.secrets.whole === null) return bytes;
    const text = bytes.toString('latin1');
    const out = this.mask.push(text);
    return out === text ? bytes : Buffer.from(out, 'latin1');
  }

  end(): Buffer {
    return Buffer.from(this.mask.end(), 'latin1');
  }
}

/** The different beginnings of texts, without half of a surrogate pair at the end. */
const beginnings = (texts: string[], length: number) => [
  ...new Set(texts.map((text) => text.slice(0, length).replace(/[\uD800-\uDBFF]$/, '')).filter(Boolean)),
];
const escaped = (text: string) => text.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&');
const asterisks = (text: string) => '*'.repeat(text.length);

function formsOf(secret: string): string[] {
  const forms = [secret, JSON.stringify(secret).slice(1, -1), ...base64Of(secret)];
  for (const encoded of encodingsOf(secret.toWellFormed())) {
    forms.push(
      encoded,
      encoded.replace(/%../g, (code) => code.toLowerCase()),
    );
  }
  return forms.flatMap((form) => (form.includes('/') ? [form, form.replaceAll('/', '\\/')] : form));
}

/** The URL-encoded forms of a text: as JavaScript, RFC 3986, and forms write it. */
function encodingsOf(text: string): string[] {
  const encoded = encodeURIComponent(text);
  const strict = encoded.replace(/[!'()*]/g, (one) => `%${one.charCodeAt(0).toString(16).toUpperCase()}`);
  return [encoded, strict, new URLSearchParams([['', text]]).toString().slice(1)];
}

/** The base64 forms of a text at any offset of encoded data, without the digits that its neighbors share. */
function base64Of(text: string): string[] {
  return [0, 1, 2].flatMap((before) => {
    const bytes = Buffer.concat([Buffer.alloc(before), Buffer.from(text)]);
    const digits = bytes
      .toString('base64')
      .slice(Math.ceil((before * 8) / 6), Math.floor((bytes.length * 8) / 6));
    return [digits, digits.replaceAll('+', '-').replaceAll('/', '_')];
  });
}
